"""The columns of `gh run view --log`: job, step, stamped text. One such file may hold several jobs."""

from __future__ import annotations

import re
from dataclasses import dataclass

# What gh prints where it could not tell the step.
UNKNOWN_STEP = "UNKNOWN STEP"
# What the runner stamped is a line of a job that printed another job's log: the columns are its text.
_COLUMNS = re.compile(
    rb"(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )([^\t\n]{1,300})\t([^\t\n]{1,300})\t"
    rb"(?=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)"
)


@dataclass(frozen=True, slots=True)
class Columns:
    """`end` is where the text (with its stamp) begins; 0 when the line has no columns."""

    end: int = 0
    job: str = ""
    step: str = ""
    prefix: bytes = b""


_NONE = Columns()


def columns(line: bytes, above: Columns = _NONE) -> Columns:
    """Of one visible line. The later lines of a message have no stamp; they are known by the columns `above`."""
    if above.prefix and line.startswith(above.prefix):
        return above
    found = _COLUMNS.match(line)
    if found is None:
        return _NONE
    return Columns(found.end(), found[1].decode(), found[2].decode(), found[0])
