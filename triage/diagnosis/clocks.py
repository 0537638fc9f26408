"""In which order things happened: by line, unless the log was printed newest first; process clocks break ties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from triage.model.log import Line, LogReading

_CLOCK = re.compile(
    r"(?:(?P<year>\d{4})-)?\b(?P<month>\d\d)-(?P<day>\d\d)[ T_](?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)"
    r"|\b[EWIF](?P<month2>\d\d)(?P<day2>\d\d) (?P<time2>\d\d:\d\d:\d\d(?:\.\d{1,6})?)"
)
_PREFIX = 120
# Lines of two processes that arrive this close together tell nothing about which came first.
_CLOSE_LINES, _CLOSE_SECONDS = 40, 2.0
_ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Order:
    """`newest_first`: the last line of the input was printed first."""

    newest_first: bool = False

    def place(self, number: int) -> int:
        return -number if self.newest_first else number


def order_of(reading: LogReading) -> Order:
    """Newest first only when the clocks of enough lines say so and hardly any say otherwise."""
    lines = {line.number: line for line in _some_lines(reading)}
    clocks = [clock for _, line in sorted(lines.items()) if (clock := clock_of(line)) is not None]
    falls = sum(later < earlier for earlier, later in pairwise(clocks))
    rises = sum(later > earlier for earlier, later in pairwise(clocks))
    return Order(newest_first=falls >= _ENOUGH and falls > 4 * rises)


def clock_of(line: Line) -> datetime | None:
    """The clock of the process that printed the line, else the collector's stamp. None: neither is there."""
    found = _CLOCK.search(f"{line.prefix}{line.text[:_PREFIX]}")
    if found is None:
        return line.time.replace(tzinfo=None) if line.time else None
    month, day = found["month"] or found["month2"], found["day"] or found["day2"]
    time = (found["time"] or found["time2"]).replace(",", ".")
    whole, _, fraction = time.partition(".")
    try:
        return datetime.fromisoformat(f"{found['year'] or '2000'}-{month}-{day}T{whole}.{fraction or '0':0<6}")
    except ValueError:
        return None


def close(one: Line, other: Line) -> bool:
    """Whether two processes printed so close together that their order in the log is chance."""
    if one.stream == other.stream:
        return False
    if one.time and other.time:
        return abs((one.time - other.time).total_seconds()) <= _CLOSE_SECONDS
    return abs(one.number - other.number) <= _CLOSE_LINES


def _some_lines(reading: LogReading) -> Iterable[Line]:
    yield from reading.suspects
    yield from reading.tail
    for match in reading.matches:
        yield from match.occurrences
    for hit in reading.probed:
        yield hit.line
