"""Matches any number of signatures against a log with google-re2."""

from triage.matching.explaining import NoMatch, explain
from triage.matching.parallel import scan_all
from triage.matching.patterns import Patterns, compile_patterns
from triage.matching.scanning import scan

__all__ = ["NoMatch", "Patterns", "compile_patterns", "explain", "scan", "scan_all"]
