"""The one value that the renderers of the report see. Nothing in it is rounded, and what is not known is None or said.

Hours are hours, shares lie in 0..1, dates are UTC days, tuples are ordered as they should be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from triage.model.finding import Attribution, Change, Rate, Sight, State
from triage.model.fix import Deadline, FixRow

SCHEMA = "triage.report/1"


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
class PoolPrice:
    """What the configuration says that a GPU-hour of a pool costs."""

    pool: str
    price: float


@dataclass(frozen=True, slots=True)
class Spent:
    """GPU-hours, and in the report's currency what those of pools with a price cost; None where no pool has one."""

    hours: float
    money: float | None = None


@dataclass(frozen=True, slots=True)
class CauseCost:
    """What one cause cost. `signature` "" gathers the failures that nothing explains.

    `failures` counts attempts; `rate`: first attempts that failed with this cause, of all of the jobs that it hit.
    `rank_before`: its place by GPU-hours in the period before, None when it cost nothing then.
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
    money: float | None = None  # as in `Spent`

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
    money: float | None = None  # as in `Spent`


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
    """What is lost is split in two ways: by cause (`costs`), and into `flakes` and `failures` that did not pass next.

    `prices` are those of the pools that lost GPU-hours in the period; without any there is no money in the report.
    `currency` is the configuration's own word.
    """

    repo: str
    first: date
    last: date
    generated_at: datetime
    completeness: Completeness
    notices: tuple[str, ...]
    tiles: tuple[Tile, ...]
    changes: tuple[Change, ...]
    costs: tuple[CauseCost, ...]
    flakes: Spent
    failures: Spent
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
    prices: tuple[PoolPrice, ...] = ()
    currency: str = ""
    triage_version: str = ""
    catalogue_version: str = ""
