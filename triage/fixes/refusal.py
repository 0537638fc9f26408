"""A refusal is a value: what could not be located or edited, and why, in words a person can act on."""

from __future__ import annotations

from dataclasses import dataclass

# How a refusal begins where no job is known to edit: what the log alone suggests is said then.
NO_WORKFLOW = "the workflow of the failed job is not known"
# How one ends where a job runs the workflow of another repository, whose commands only the log shows.
ELSEWHERE = "lies in another repository"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`reason` is a sentence; `path` and `line` (from 1, 0 unknown) say where."""

    reason: str
    path: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}: " if self.line else f"{self.path}: " if self.path else ""
        return where + self.reason
