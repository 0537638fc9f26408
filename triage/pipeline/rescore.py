"""After a change of the rules: diagnose the history's failures again, and say what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from triage.interfaces import LogSource
from triage.model.outcome import LogState, Outcome
from triage.model.run import Job, Run, Unavailable
from triage.pipeline.history import Diagnose, with_diagnosis
from triage.storage.database import History
from triage.storage.outcomes import failed_jobs, outcome, replace_diagnosis

# Where a log is kept: the cache, an archive, GitHub.
FindLog = Callable[[Outcome], LogSource | Unavailable]


@dataclass(frozen=True, slots=True)
class Rescored:
    """One attempt whose first cause changed; "" is unexplained."""

    job_id: int
    job: str
    url: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rescore:
    """`without_log` attempts keep what an older catalogue said of them."""

    changed: tuple[Rescored, ...]
    same: int
    without_log: int


def rescore(
    history: History, find_log: FindLog, diagnose: Diagnose, catalogue: str, first_day: int, write: bool = True
) -> Rescore:
    """Over failed attempts since a day, oldest first. `write` False: only say what would change."""
    changed: list[Rescored] = []
    same = without = 0
    for job_id in failed_jobs(history, first_day):
        old = outcome(history, job_id)
        log = find_log(old)
        if isinstance(log, Unavailable):
            without += 1
            continue
        new = with_diagnosis(old, diagnose, run_of(old), job_of(old), log, (), catalogue)
        if new.log is not LogState.READ:
            without += 1
            continue
        if new.signature == old.signature and old.log is LogState.READ:
            same += 1
        else:
            changed.append(Rescored(job_id, old.job, old.url, old.signature, new.signature))
        if write:
            replace_diagnosis(history, new)
    return Rescore(tuple(changed), same, without)


def run_of(old: Outcome) -> Run:
    """As much of the run as the history keeps."""
    return Run(
        id=old.run_id,
        attempt=old.attempt,
        repo=old.repo,
        workflow=old.workflow,
        workflow_path=old.workflow_path,
        event=old.event,
        status="completed",
        conclusion=old.conclusion,
        head_sha=old.sha,
        head_branch=old.branch,
        actor=old.author,
    )


def job_of(old: Outcome) -> Job:
    return Job(
        id=old.job_id,
        run_id=old.run_id,
        attempt=old.attempt,
        name=old.job,
        status="completed",
        conclusion=old.conclusion,
        created_at=old.created_at,
        started_at=old.started_at,
        completed_at=old.completed_at,
        runner_name=old.runner,
        labels=(old.pool.name,),
        url=old.url,
    )
