"""How a line, or a file, came to be what it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LineChange:
    """A commit that changed a line from `before` to `after`; both are empty where only the file is known.

    `when` is None where the source does not say.
    """

    sha: str
    title: str
    when: datetime | None = None
    before: str = ""
    after: str = ""
