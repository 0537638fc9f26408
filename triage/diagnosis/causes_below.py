"""Chains of causes that a program prints below a line that it survived: they are no graver than the line itself."""

from __future__ import annotations

from dataclasses import replace

from triage.diagnosis.ending import mild
from triage.diagnosis.settings import Context
from triage.model.log import Line, LogReading, Match

# How programs in Rust print what lies behind an error: the line itself first, then each cause on a line of its own.
_CAUSE = "Caused by: "
_DEEPEST = 8


def without_survived_causes(reading: LogReading, context: Context) -> LogReading:
    """The reading without the hits in such chains; the others stay as they are."""
    kept = (_kept(match, context) for match in reading.matches)
    matches = tuple(match for match in kept if match is not None)
    suspects = tuple(line for line in reading.suspects if not _survived(line, context))
    return replace(reading, matches=matches, suspects=suspects)


def _kept(match: Match, context: Context) -> Match | None:
    hits = (match.line, *match.occurrences)
    if not any(line.text.lstrip().startswith(_CAUSE) for line in hits):
        return match
    left = [line for line in hits if not _survived(line, context)]
    if not left:
        return None
    return replace(match, line=left[0], occurrences=tuple(line for line in match.occurrences if line in left))


def _survived(line: Line, context: Context) -> bool:
    if not line.text.lstrip().startswith(_CAUSE):
        return False
    above = (each for each in reversed(context(line, _DEEPEST, 0)) if each.number < line.number)
    head = next((each for each in above if not each.text.lstrip().startswith(_CAUSE)), None)
    return head is not None and bool(mild(head))
