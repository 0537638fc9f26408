"""A made-up half-year of a made-up repository, with planted truths that a report must find.

Everything is drawn from one seeded generator: the same call gives the same history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from random import Random

from triage.demo.planted import (
    BAD_RUNNER,
    BREAKAGES,
    FIXES,
    HANGS_TOGETHER,
    JOBS,
    NETWORK,
    PULL_REQUESTS_A_DAY,
    PUSHES_A_DAY,
    REPO,
    RERUN_SHARE,
    Chance,
    Fault,
    JobSpec,
)
from triage.model.outcome import CauseHit, FixRecord, LogState, Outcome, Pool, RunAttempt
from triage.model.run import Run
from triage.storage.database import History
from triage.storage.ledger import put_fixes
from triage.storage.listing import Unread, Window, put_runs, record, remember_window
from triage.storage.rows import seconds

DAYS = 182
CATALOGUE = "demo"
_AUTHORS = ("ada", "bo", "chen", "dara", "emre", "fola", "gita", "hugo")


@dataclass(slots=True)
class _Day:
    """What a day's runs add to the history."""

    runs: list[Run] = field(default_factory=list)
    attempts: list[RunAttempt] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)


def write_history(history: History, end: datetime, seed: int = 1, days: int = DAYS) -> int:
    """Fill `history` (of REPO) with days up to `end` (midnight UTC, not kept); returns the number of attempts."""
    world = _World(Random(seed), end - timedelta(days=days), days)
    count = 0
    for index in range(days):
        day = world.day(index)
        record(history, day.runs)
        put_runs(history, [Unread(run) for run in day.runs], day.outcomes, day.attempts)
        start = seconds(world.start + timedelta(days=index)) or 0
        remember_window(history, Window(start, start + 86_399, len(day.runs), seconds(end) or 0))
        count += len(day.outcomes)
    put_fixes(history, _fixes(end))
    return count


def _fixes(end: datetime) -> Iterator[FixRecord]:
    for fix in FIXES:
        merged = end - timedelta(days=fix.merged_days_ago)
        yield FixRecord(
            repo=REPO,
            id=fix.id,
            signature=fix.signature,
            title=fix.title,
            workflow_path=fix.workflow_path,
            job=fix.job,
            state=fix.state,
            proposed_at=merged - timedelta(days=2),
            recipe=fix.recipe,
            expectation_kind=fix.expectation_kind,
            expectation_text=fix.expectation,
            merged_at=merged if fix.state.value == "merged" else None,
            merge_sha=_sha(fix.merged_days_ago),
            pull_request=fix.pull_request,
            expires=(end + timedelta(days=fix.expires_in_days)).date() if fix.expires_in_days is not None else None,
            owner=fix.owner,
        )


class _World:
    """Draws days. `index` counts days from `start`; faults are planted by days before the end."""

    def __init__(self, random: Random, start: datetime, days: int) -> None:
        self.random = random
        self.start = start
        self.days = days
        self._run = 10_000
        self._job = 100_000
        self._pull_request = 300
        self._sha = 1

    def day(self, index: int) -> _Day:
        day = _Day()
        morning = self.start + timedelta(days=index)
        quiet = 0.35 if morning.weekday() >= 5 else 1.0
        for _ in range(max(1, round(PUSHES_A_DAY * quiet))):
            self._push(day, index, morning, "")
        for _ in range(max(1, round(PULL_REQUESTS_A_DAY * quiet))):
            self._pull_request += 1
            self._push(day, index, morning, f"topic-{self._pull_request}")
        return day

    def _push(self, day: _Day, index: int, morning: datetime, topic: str) -> None:
        """One commit: every workflow runs on it. An author whose own mistake broke it pushes the repair later."""
        at = morning + timedelta(seconds=self.random.uniform(6 * 3600, 16 * 3600))
        author = self.random.choice(_AUTHORS)
        breakage = self.random.choice(BREAKAGES) if topic and self.random.random() < 0.15 else None
        self._commit(day, index, at, topic, author, breakage)
        if breakage:
            at += timedelta(hours=self.random.uniform(1, 6))
            self._commit(day, index, at, topic, author, None)

    def _commit(self, day: _Day, index: int, at: datetime, topic: str, author: str, breakage: Fault | None) -> None:
        self._sha += 1
        for workflow in sorted({job.workflow for job in JOBS}):
            self._one_run(day, index, at, workflow, topic, author, breakage)

    def _one_run(
        self, day: _Day, index: int, at: datetime, workflow: str, topic: str, author: str, breakage: Fault | None
    ) -> None:
        self._run += 1
        jobs = [job for job in JOBS if job.workflow == workflow]
        moment, attempt, waiting = at, 1, jobs
        last: dict[str, Fault] = {}
        while True:
            ended = moment
            failed: list[JobSpec] = []
            for job in waiting:
                outcome, fault = self._outcome(job, attempt, index, moment, topic, author, last.get(job.name), breakage)
                day.outcomes.append(outcome)
                ended = max(ended, outcome.completed_at)
                if fault:
                    failed.append(job)
                    last[job.name] = fault
            conclusion = "failure" if failed else "success"
            day.attempts.append(self._attempt(workflow, attempt, topic, conclusion, ended))
            if not failed or attempt == 3 or self.random.random() > RERUN_SHARE:
                break
            moment, attempt, waiting = ended + timedelta(minutes=self.random.uniform(3, 90)), attempt + 1, failed
        day.runs.append(self._listed(workflow, attempt, topic, conclusion, at, ended))

    def _outcome(
        self,
        job: JobSpec,
        attempt: int,
        index: int,
        at: datetime,
        topic: str,
        author: str,
        last: Fault | None,
        breakage: Fault | None,
    ) -> tuple[Outcome, Fault | None]:
        self._job += 1
        pool = Pool(job.pool, job.platform, job.gpus)
        runner = self.random.choice(job.runners) if job.runners else ""
        fault = last if last and last.persists else self._fault(job, index, runner, breakage)
        queued = timedelta(seconds=round(self.random.expovariate(1 / job.queue_seconds)))
        length = self.random.gauss(job.minutes, job.minutes / 10) * (self.random.uniform(0.2, 0.9) if fault else 1)
        started = at + queued
        outcome = Outcome(
            repo=REPO,
            run_id=self._run,
            attempt=attempt,
            job_id=self._job,
            workflow=job.workflow,
            job=job.name,
            conclusion="failure" if fault else "success",
            completed_at=started + timedelta(minutes=max(1.0, length)),
            workflow_path=job.workflow_path,
            event="pull_request" if topic else "push",
            branch=f"{author}:{topic}" if topic else "main",
            on_base=not topic,
            sha=_sha(self._sha),
            author=author,
            pull_request=self._pull_request if topic else 0,
            runner=runner,
            pool=pool,
            created_at=at,
            started_at=started,
            step="Run" if fault else "",
            log=LogState.READ if fault else LogState.NOT_NEEDED,
            causes=self._causes(fault),
            unexplained=fault.text if fault and not fault.signature else "",
            unexplained_line=fault.line if fault and not fault.signature else 0,
            catalogue=CATALOGUE if fault else "",
            url=f"https://github.example/{REPO}/actions/runs/{self._run}/job/{self._job}",
        )
        return outcome, fault

    def _fault(self, job: JobSpec, index: int, runner: str, breakage: Fault | None) -> Fault | None:
        """What goes wrong in this attempt, if anything. A breakage of the author's own fails every attempt."""
        if breakage and job.name in HANGS_TOGETHER[breakage.signature]:
            return breakage
        days_left = self.days - index
        bad: tuple[Chance, ...] = (BAD_RUNNER.chance,) if runner == BAD_RUNNER.runner else ()
        shared: tuple[Chance, ...] = NETWORK if job.gpus else ()
        for chance in (*bad, *job.chances, *shared):
            if chance.until < days_left <= chance.since and self.random.random() < chance.share:
                return chance.fault
        return None

    def _causes(self, fault: Fault | None) -> tuple[CauseHit, ...]:
        if fault is None or not fault.signature:
            return ()
        name = fault.signature
        return (CauseHit(name, fault.family, fault.category, name, fault.line, fault.text, "Run", "high"),)

    def _attempt(self, workflow: str, attempt: int, topic: str, conclusion: str, ended: datetime) -> RunAttempt:
        branch = topic or "main"
        event = "pull_request" if topic else "push"
        sha = _sha(self._sha)
        return RunAttempt(REPO, self._run, attempt, workflow, branch, not topic, conclusion, ended, event, sha)

    def _listed(
        self, workflow: str, attempt: int, topic: str, conclusion: str, created: datetime, updated: datetime
    ) -> Run:
        return Run(
            id=self._run,
            attempt=attempt,
            repo=REPO,
            workflow=workflow,
            workflow_path=next(job.workflow_path for job in JOBS if job.workflow == workflow),
            event="pull_request" if topic else "push",
            status="completed",
            conclusion=conclusion,
            head_sha=_sha(self._sha),
            head_branch=topic or "main",
            created_at=created,
            updated_at=updated,
        )


def _sha(number: int) -> str:
    return sha1(f"commit {number}".encode(), usedforsecurity=False).hexdigest()


def last_midnight(now: datetime) -> datetime:
    return datetime(now.year, now.month, now.day, tzinfo=UTC)
