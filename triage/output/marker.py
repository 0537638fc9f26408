"""The hidden first line by which the bot knows its own comment again, and what it remembers in it.

Only hexadecimal digits and numbers: nothing in it can end the HTML comment that hides it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_FIELDS = re.compile(
    r"<!-- triage:v1 pull=(?P<pull>\d{1,10}) generation=(?P<generation>\d{1,6}) level=(?P<level>\d)"
    r" at=(?P<at>\d{1,12}) yours=(?P<yours>[0-9a-f,]{0,400}) suggested=(?P<suggested>[0-9a-f]{0,12})"
    r" id=(?P<id>[0-9a-f]{1,32}) -->"
)
_MOST = 40
GRAVEST = 3


@dataclass(frozen=True, slots=True)
class Marker:
    """`level`: 0 nothing failed, 1 nothing of it is the author's, 2 something is not classified, 3 something is theirs.

    `at`: when GitHub was asked, in seconds since 1970. `yours`: digests of the causes that need the author.
    `generation` counts the comments that were posted because things got worse. `id` is of one writing only.
    """

    pull: int
    generation: int
    level: int
    at: int
    yours: frozenset[str]
    suggested: str
    id: str

    def line(self) -> str:
        yours = ",".join(sorted(self.yours)[:_MOST])
        return (
            f"<!-- triage:v1 pull={self.pull} generation={self.generation} level={self.level} at={self.at} "
            f"yours={yours} suggested={self.suggested} id={self.id} -->"
        )


def read(body: str, pull: int) -> Marker | None:
    """The marker on the first line of a comment; None for other comments, other pull requests and quotations."""
    found = _FIELDS.fullmatch(body.split("\n", 1)[0].rstrip("\r"))
    if found is None or int(found["pull"]) != pull:
        return None
    yours = frozenset(one for one in found["yours"].split(",") if one)
    numbers = {name: int(found[name]) for name in ("pull", "generation", "level", "at")}
    return Marker(**numbers, yours=yours, suggested=found["suggested"], id=found["id"])


def can_be_read(marker: Marker) -> bool:
    """Whether the bot would know a comment with this line again, and nothing of it ends the comment that hides it."""
    return 0 <= marker.level <= GRAVEST and read(marker.line(), marker.pull) is not None


def is_worse(old: Marker, level: int, yours: frozenset[str]) -> bool:
    """Whether the author must be told by a new comment: a graver level, or a new cause of theirs. A marker that is full
    has forgotten causes, and cannot tell which is new."""
    return level > old.level or (len(old.yours) < _MOST and bool(yours - old.yours))


def retired(pull: int) -> str:
    """The first line of a comment that another took the place of."""
    return f"<!-- triage:v1 retired pull={pull} -->"


def cause_digest(cause: str) -> str:
    """Eight hexadecimal digits that stand for a cause's id, which is made of log text."""
    return hashlib.sha256(cause.encode("utf-8", "replace")).hexdigest()[:8]
