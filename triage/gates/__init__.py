"""Proves drafts: what cannot be proved is shown as advice, never as a patch."""

from triage.gates.proving import MANDATORY, SUPPORTING, prove

__all__ = ["MANDATORY", "SUPPORTING", "prove"]
