"""Collects outcomes: list runs, read each with all its attempts, diagnose its failed jobs, write it whole.

A run is the unit: it is written, and marked as read, in one transaction. So a sync may be killed at any moment and
started again: nothing is lost, nothing is there twice, and what was read is not asked for again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from triage.errors import GitHubError, RateLimited, UsageError
from triage.interfaces import HistorySource, LogSource
from triage.model.diagnosis import JobDiagnosis
from triage.model.outcome import LogState, Outcome
from triage.model.run import Annotation, Job, Run, Unavailable
from triage.pipeline.budget import Budget, BudgetSpent
from triage.pipeline.outcomes import Place, causes_of, outcome, run_attempt, settled_jobs
from triage.pipeline.windows import Day, days_to_list, list_day, outages
from triage.storage.database import History
from triage.storage.listing import Unread, forget_windows, put_runs, unread
from triage.storage.outcomes import settled_logs

# Raises UsageError when the log cannot be read to its end.
Diagnose = Callable[[Run, Job, LogSource | Unavailable, tuple[Annotation, ...]], JobDiagnosis]
# After so many runs in a row that cannot be read, the fault is not the runs'.
FAULTS_IN_A_ROW = 3


class Watch(Protocol):
    """Told what goes on, to draw progress."""

    def listed(self, day: datetime, runs: int) -> None:
        """A day's runs are recorded."""

    def read(self, done: int, total: int, run: Run) -> None:
        """A run is written."""


class _Nobody:
    def listed(self, day: datetime, runs: int) -> None:
        pass

    def read(self, done: int, total: int, run: Run) -> None:
        pass


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """`budget`: requests at most, 0 for no limit. `catalogue`: the version that diagnoses are made with."""

    place: Place
    budget: int = 0
    catalogue: str = ""


@dataclass(slots=True)
class SyncResult:
    """What a sync did, counted as it goes. `stopped` says why it ended early ("" when it did not), and where."""

    days_listed: int = 0
    runs_listed: int = 0
    runs_read: int = 0
    attempts: int = 0
    logs: int = 0
    requests: int = 0
    left: int = 0
    stopped: str = ""
    faults: tuple[str, ...] = ()
    suspect_days: tuple[datetime, ...] = ()
    short_days: tuple[tuple[datetime, Day], ...] = ()


def sync(
    history: History,
    source: HistorySource,
    diagnose: Diagnose,
    settings: SyncSettings,
    since: datetime,
    now: datetime,
    watch: Watch | None = None,
) -> SyncResult:
    """Bring the history up to `now` for runs created since `since`. Raises GitHubError when nothing can be reached."""
    told = watch or _Nobody()
    result = SyncResult()
    budget = Budget(settings.budget, source.allowance)
    reader = _Reader(history, source, diagnose, settings, budget, result)
    try:
        _list(history, source, budget, since, now, result, told)
        _read(history, reader, since, now, result, told)
    except BudgetSpent as spent:
        result.stopped = spent.reason
    except RateLimited as limited:
        result.stopped = limited.message
    result.requests = budget.spent
    waiting = unread(history, int(since.timestamp()), int(now.timestamp()))
    result.left = len(waiting)
    if result.stopped and waiting:
        result.stopped += f"; stopped before run {waiting[0].run.id}"
    return result


def _list(
    history: History,
    source: HistorySource,
    budget: Budget,
    since: datetime,
    now: datetime,
    result: SyncResult,
    watch: Watch,
) -> None:
    for start, stop in days_to_list(history, since, now):
        listed = list_day(history, source, budget, start, stop, int(now.timestamp()))
        day = datetime.fromtimestamp(start, UTC)
        result.days_listed += 1
        result.runs_listed += listed.runs
        if listed.runs < listed.counted:
            result.short_days = (*result.short_days, (day, listed))
        watch.listed(day, listed.runs)
    empty = outages(history, since)
    forget_windows(history, empty)
    result.suspect_days = tuple(datetime.fromtimestamp(start, UTC) for start in empty)


def _read(history: History, reader: _Reader, since: datetime, now: datetime, result: SyncResult, watch: Watch) -> None:
    waiting = unread(history, int(since.timestamp()), int(now.timestamp()))
    in_a_row = 0
    for done, item in enumerate(waiting, start=1):
        try:
            reader.read(item)
            in_a_row = 0
        except RateLimited:
            raise
        except GitHubError as fault:
            in_a_row += 1
            result.faults = (*result.faults, f"run {item.run.id}: {fault.message}")
            if in_a_row >= FAULTS_IN_A_ROW:
                raise
        watch.read(done, len(waiting), item.run)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one run after the other."""

    history: History
    source: HistorySource
    diagnose: Diagnose
    settings: SyncSettings
    budget: Budget
    result: SyncResult

    def read(self, item: Unread) -> None:
        """Write a run whole, or, when the budget ends amid its logs, what is known of it and that more is to come."""
        run = item.run
        self.budget.spend(run.attempt)
        earlier = [self.source.run(run.id, number) for number in range(1, run.attempt)]
        jobs = settled_jobs(self.source.all_jobs(run))
        place = self.settings.place
        attempts = [run_attempt(each, jobs, place) for each in (*earlier, run)]
        known = settled_logs(self.history, run.id)
        ended = run.updated_at or attempts[-1].completed_at
        outcomes: list[Outcome] = []
        spent: BudgetSpent | RateLimited | None = None
        for job in jobs:
            row = outcome(run, job, place, ended)
            if job.id in known:
                continue
            if row.log is LogState.PENDING and spent is None:
                try:
                    row = self._diagnosed(run, job, row)
                except (BudgetSpent, RateLimited) as stop:
                    spent = stop
            outcomes.append(row)
        put_runs(self.history, [] if spent else [item], outcomes, attempts)
        self.result.attempts += len(outcomes)
        if spent:
            raise spent
        self.result.runs_read += 1

    def _diagnosed(self, run: Run, job: Job, row: Outcome) -> Outcome:
        self.budget.spend(1)
        log = self.source.log(job)
        self.result.logs += 1
        annotations: tuple[Annotation, ...] = ()
        if isinstance(log, Unavailable) or job.conclusion != "failure":
            self.budget.spend(1)
            annotations = tuple(self.source.annotations(job))
        return with_diagnosis(row, self.diagnose, run, job, log, annotations, self.settings.catalogue)


def with_diagnosis(
    row: Outcome,
    diagnose: Diagnose,
    run: Run,
    job: Job,
    log: LogSource | Unavailable,
    annotations: tuple[Annotation, ...],
    catalogue: str,
) -> Outcome:
    """The row with what its log says. A log that cannot be read to its end is an unavailable one."""
    try:
        found = diagnose(run, job, log, annotations)
    except UsageError as fault:
        return replace(row, log=LogState.UNAVAILABLE, log_detail="unreadable", unexplained=fault.message)
    unexplained = found.unexplained
    gone = log if isinstance(log, Unavailable) else found.unavailable
    return replace(
        row,
        step=found.step or row.step,
        log=LogState.UNAVAILABLE if gone else LogState.READ,
        log_detail=str(gone.reason) if gone else "",
        causes=causes_of(found),
        unexplained=unexplained.line.text if unexplained else "",
        unexplained_line=unexplained.line.number if unexplained else 0,
        pool=row.pool if row.pool.gpus else replace(row.pool, gpus=found.facts.gpus),
        catalogue=catalogue,
    )
