"""What the storage counts: rows of aggregates, grouped by the database, from which the statistics are made.

`day` counts days since 1970-01-01 UTC, by the time an attempt completed. A *settled* attempt passed or failed. The
*first* settled attempt of a job in a run is what rates count; later ones are reruns at the same commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from triage.model.outcome import SECONDS_PER_DAY


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days, `first`..`last`, both kept, counted since 1970-01-01 UTC."""

    first: int
    last: int

    @property
    def days(self) -> int:
        return self.last - self.first + 1

    def before(self) -> Period:
        """The period of the same length that ends where this one starts."""
        return Period(self.first - self.days, self.first - 1)

    def ending_here(self, days: int) -> Period:
        """The last `days` days up to the end of this one."""
        return Period(self.last - days + 1, self.last)


def day_of(moment: datetime) -> int:
    return int(moment.timestamp()) // SECONDS_PER_DAY


def date_of(day: int) -> date:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)).date()


class JobDay(NamedTuple):
    """First settled attempts of a job on one day."""

    workflow: str
    job: str
    pool: str
    on_base: int
    day: int
    passed: int
    failed: int


class RetryDay(NamedTuple):
    """Failed attempts that were rerun at the same commit; `recovered` of them passed in the next attempt."""

    workflow: str
    job: str
    pool: str
    signature: str
    day: int
    retried: int
    recovered: int


class FlipCount(NamedTuple):
    """Neighbouring settled results of a job on the base branch, and how many of these pairs differ."""

    workflow: str
    job: str
    pairs: int
    flips: int


class Streak(NamedTuple):
    """The newest base results of a job: how many in a row failed, out of how many looked at."""

    workflow: str
    job: str
    failed_in_a_row: int
    results: int


class LossDay(NamedTuple):
    """GPU seconds held by failed attempts, by reruns that passed, and by cancelled attempts.

    A rerun's cost goes to the signature that the attempt before it failed with; "" where that is not explained.
    `flaked_seconds`: of `gpu_seconds`, what flakes cost, the attempts that failed and passed next and those reruns.
    """

    kind: str  # failed | rerun | cancelled
    workflow: str
    job: str
    pool: str
    signature: str
    family: str
    day: int
    attempts: int
    firsts: int  # of these, first settled attempts of their job in its run
    gpu_seconds: int
    flaked_seconds: int = 0


class Reach(NamedTuple):
    """Whom a signature hit in the period."""

    signature: str
    family: str
    failures: int
    pull_requests: int
    authors: int
    jobs: int


class RunnerStratum(NamedTuple):
    """Settled attempts on one runner of one job in one week: the unit in which runners are compared."""

    runner: str
    pool: str
    workflow: str
    job: str
    week: int
    settled: int
    failed: int


class QueueCount(NamedTuple):
    pool: str
    seconds: int
    jobs: int


class GreenEpisode(NamedTuple):
    """From the first red attempt of a workflow on a branch to its next green one; `seconds` None: still red."""

    workflow: str
    branch: str
    on_base: int
    seconds: int | None


class RunDay(NamedTuple):
    """First attempts of runs on one day."""

    workflow: str
    on_base: int
    day: int
    passed: int
    failed: int


class SignatureDay(NamedTuple):
    signature: str
    family: str
    day: int
    hits: int


class LogCount(NamedTuple):
    """Failed attempts by what became of their log; `explained` of them have a cause."""

    log: str
    detail: str
    failed: int
    explained: int


class LogDay(NamedTuple):
    """Failed attempts on one day: how many logs were read, and how many of those explained."""

    day: int
    failed: int
    read: int
    explained: int


class Sighting(NamedTuple):
    """One failed attempt to look at."""

    signature: str
    job: str
    runner: str
    url: str
    line: int
    text: str
    completed: int  # seconds since 1970
    pull_request: int


class CommitWindow(NamedTuple):
    """The last base commit that a job ran at before a moment, and the first one after it."""

    before: str
    after: str


class Coverage(NamedTuple):
    """How complete the history of a period is."""

    runs_listed: int
    runs_read: int
    jobs: int
    newest: int  # seconds since 1970 of the newest attempt of all; 0 when there is none
    synced: int  # seconds since 1970 of the last finished sync; 0 when there was none
