"""What the statistics find: rates with their uncertainty, states, changes, suspects, and where to look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Rate:
    """`k` of `n`, with its Wilson interval. `enough`: n reaches the minimum, so that the rate may be judged at all."""

    k: int
    n: int
    low: float
    high: float
    enough: bool

    @property
    def value(self) -> float | None:
        """None when there is nothing to divide by."""
        return self.k / self.n if self.n else None


class State(StrEnum):
    """What to think of a job."""

    BROKEN = "broken"
    DEGRADED = "degraded"
    FLAKY = "flaky"
    RECOVERED = "recovered"
    STEADY = "steady"
    TOO_LITTLE = "too little data"


class ChangeKind(StrEnum):
    BROKEN = "newly broken"
    DEGRADED = "degraded"
    FLAKY = "newly flaky"
    NEW = "new cause"
    RECOVERED = "recovered"
    CALMER = "flakes less"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Sight:
    """A failed attempt to look at. `text` is a line of a log: untrusted, every renderer escapes it."""

    job: str
    runner: str
    url: str
    line: int
    text: str
    at: datetime
    pull_request: int = 0


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A change of a rate: it most likely began on `day`, with 95 % between the others.

    `probability` is that of any change at all, under the priors of `flakiness.changes`.
    """

    day: date
    earliest: date
    latest: date
    before: Rate
    after: Rate
    probability: float


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in the period. `subject` is a job or a signature; commits are "" where the history does not say."""

    kind: ChangeKind
    subject: str
    workflow: str = ""
    point: ChangePoint | None = None
    commit_before: str = ""
    commit_after: str = ""
    hits: int = 0
    hits_before: int = 0
    hits_by_period: tuple[int, ...] = ()  # oldest first, this one last
    gpu_hours: float = 0.0
    sights: tuple[Sight, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspect:
    """A machine (or a pool) that fails more than its peers did on the same jobs in the same weeks.

    `expected` failures are what the peers' share would have given it. `adjusted` is Holm's p over all that were tested.
    """

    name: str
    pool: str
    failing: Rate
    peers: Rate
    expected: float
    p: float
    adjusted: float
    signatures: tuple[str, ...] = ()
    sights: tuple[Sight, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribution:
    """`tested` units had enough attempts to be compared; `level` bounds the chance of accusing any innocent one."""

    suspects: tuple[Suspect, ...]
    tested: int
    level: float
    days: int
