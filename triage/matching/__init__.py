"""Matches any number of signatures against a log with google-re2."""

from triage.matching.patterns import Patterns, compile_patterns
from triage.matching.scanning import scan

__all__ = ["Patterns", "compile_patterns", "scan"]
