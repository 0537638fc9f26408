"""Chains of causes that a program prints below a line that it survived: they are no graver than the line itself."""

from __future__ import annotations

from dataclasses import replace

from triage.diagnosis.ending import mild
from triage.diagnosis.settings import Context
from triage.model.log import Line, LogReading

# How programs in Rust print what lies behind an error: the line itself first, then each cause on a line of its own.
_CAUSE = "Caused by: "
_DEEPEST = 8


def without_survived_causes(reading: LogReading, context: Context) -> LogReading:
    """The reading without the hits in such chains; the others stay as they are."""

    def counts(line: Line) -> bool:
        return not _survived(line, context)

    matches = tuple(kept for match in reading.matches if (kept := match.only(counts)))
    return replace(reading, matches=matches, suspects=tuple(filter(counts, reading.suspects)))


def _survived(line: Line, context: Context) -> bool:
    if not line.text.lstrip().startswith(_CAUSE):
        return False
    above = (each for each in reversed(context(line, _DEEPEST, 0)) if each.number < line.number)
    head = next((each for each in above if not each.text.lstrip().startswith(_CAUSE)), None)
    return head is not None and bool(mild(head))
