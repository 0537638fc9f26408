"""The one value that the renderers of the report see. Nothing in it is rounded, and what is not known is None or said.

Hours are hours, shares lie in 0..1, dates are UTC days, tuples are ordered as they should be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

SCHEMA = "triage.report/1"


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
class Tile:
    """One figure of the header. `spark` holds older periods first and this one last; None where nothing is known."""

    key: str
    title: str
    unit: str  # "share", "hours", "GPU-hours"
    value: float | None
    previous: float | None
    spark: tuple[float | None, ...]
    more_is_better: bool
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class CauseCost:
    """What one cause cost. `signature` "" gathers the failures that nothing explains.

    `failures` counts attempts; `rate`: first attempts that failed with this cause, of all of the jobs that it hit. `rank_before`: its place by
    GPU-hours in the period before, None when it cost nothing then.
    """

    signature: str
    family: str
    title: str
    owner: str
    issue: str
    jobs: tuple[str, ...]
    pools: tuple[str, ...]
    failures: int
    rate: Rate
    failed_hours: float
    rerun_hours: float
    pull_requests: int
    authors: int
    rank_before: int | None = None
    fix: str = ""
    sights: tuple[Sight, ...] = ()

    @property
    def hours(self) -> float:
        return self.failed_hours + self.rerun_hours


@dataclass(frozen=True, slots=True)
class JobRow:
    """`failing`: first attempts that failed. `flake`: runs of the job that failed, then passed at the same commit.
    `flip`: neighbouring results on the base branch that differ."""

    workflow: str
    job: str
    pools: tuple[str, ...]
    state: State
    failing: Rate
    failing_on_base: Rate
    flake: Rate
    flip: Rate
    failed_in_a_row: int
    gpu_hours: float


@dataclass(frozen=True, slots=True)
class Cell:
    """First attempts of one workflow on one pool."""

    pool: str
    workflow: str
    failing: Rate


@dataclass(frozen=True, slots=True)
class QueueRow:
    """Seconds that jobs waited for a machine; exact quantiles of all of them."""

    pool: str
    jobs: int
    p50: int
    p90: int
    p90_before: int | None


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


@dataclass(frozen=True, slots=True)
class RetryRow:
    """Failed attempts with this cause that were rerun, and how many of them passed then."""

    signature: str
    success: Rate


class SignatureState(StrEnum):
    ACTIVE = "active"
    INFLATING = "inflating"
    SILENT = "silent"
    NOT_IN_CATALOGUE = "not in the catalogue"


@dataclass(frozen=True, slots=True)
class SignatureRow:
    signature: str
    state: SignatureState
    hits: int
    expected: float | None  # by the weeks before and the number of attempts; None without a history before
    last_hit: date | None


@dataclass(frozen=True, slots=True)
class UnknownCluster:
    """Unexplained lines that are alike once numbers are masked, with one of them."""

    text: str
    count: int
    sight: Sight


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


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One period of the trend."""

    first: date
    last: date
    green: Rate  # first attempts of runs on the base branch that passed
    flake: Rate
    unknown: Rate


@dataclass(frozen=True, slots=True)
class LossPoint:
    """GPU-hours that a family cost in one period of the trend; family "" is unexplained."""

    first: date
    family: str
    hours: float


@dataclass(frozen=True, slots=True)
class TimeToGreen:
    """Seconds from red to green of a workflow on a branch; None when half (a tenth) of them are not green yet."""

    episodes: int
    still_red: int
    p50: int | None
    p90: int | None


@dataclass(frozen=True, slots=True)
class Completeness:
    """What the report rests on. `logs_missing` counts failed attempts by why their log could not be read."""

    runs_listed: int
    runs_read: int
    attempts: int
    failed: int
    logs_read: int
    logs_pending: int
    logs_missing: tuple[tuple[str, int], ...]
    newest: datetime | None
    synced: datetime | None


@dataclass(frozen=True, slots=True)
class Report:
    repo: str
    first: date
    last: date
    generated_at: datetime
    completeness: Completeness
    notices: tuple[str, ...]
    tiles: tuple[Tile, ...]
    changes: tuple[Change, ...]
    costs: tuple[CauseCost, ...]
    cancelled_hours: float
    jobs: tuple[JobRow, ...]
    matrix: tuple[Cell, ...]
    queues: tuple[QueueRow, ...]
    runners: Attribution
    pools: Attribution
    retries: tuple[RetryRow, ...]
    signatures: tuple[SignatureRow, ...]
    unknown: Rate
    clusters: tuple[UnknownCluster, ...]
    fixes: tuple[FixRow, ...]
    deadlines: tuple[Deadline, ...]
    trend: tuple[TrendPoint, ...]
    losses: tuple[LossPoint, ...]
    time_to_green: TimeToGreen
    method: tuple[str, ...]
    triage_version: str = ""
    catalogue_version: str = ""
