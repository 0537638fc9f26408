"""Chooses the root cause from what matched, and reads the facts that fixes need."""

from triage.diagnosis.probes import PROBES

__all__ = ["PROBES"]
