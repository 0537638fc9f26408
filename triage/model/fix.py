"""How merged fixes fare, and what has an end date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from triage.model.finding import Rate


class Held(StrEnum):
    """Did a fix hold? TOO_EARLY: as many clean runs would be no surprise without the fix."""

    HELD = "held"
    REDUCED = "rarer, not gone"
    FAILED = "did not hold"
    DEAD = "no longer in force"
    TOO_EARLY = "too early to say"
    NOT_RUN = "not run since"
    NOT_MERGED = "not merged"
    REVERTED = "reverted"


class Presence(StrEnum):
    """Whether what a fix set can be seen: in the newest run's log, or by proof in the branch's files as they are."""

    SHOWN = "shown"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FixRow:
    """One fix of the ledger and how it fares. `saved_hours` is measured: None until the fix is known to hold."""

    id: str
    title: str
    signature: str
    workflow_path: str
    job: str
    held: Held
    why: str
    proposed: date
    merged: date | None
    pull_request: int
    before: Rate
    after: Rate
    in_log: Presence
    in_tree: Presence
    saved_hours: float | None
    expires: date | None
    owner: str


@dataclass(frozen=True, slots=True)
class Deadline:
    """Something with an end date: a workaround, a mute, a signature to review. `overdue` days, negative before."""

    kind: str
    name: str
    where: str
    until: date
    overdue: int
    owner: str = ""
