"""What GitHub says of a run, and what its logs say, as rows of the history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from triage.model.configuration import Configuration
from triage.model.diagnosis import JobDiagnosis
from triage.model.outcome import FAILED_OUTRIGHT, CauseHit, LogState, Outcome, Pool, RunAttempt
from triage.model.run import Job, Run

# A cancelled job that ran this long may have hit its time limit, which GitHub calls cancelled too; shorter ones were
# superseded or stopped by hand, and their logs are not worth a request.
LONG_RUN = timedelta(minutes=30)
_PULL_EVENTS = frozenset({"pull_request", "pull_request_target"})
_EVERYDAY_LABELS = frozenset({"self-hosted", "linux", "windows", "macos", "x64", "arm64"})
# "L20x8", "8gpu", "4-gpus", "gpu-8": a bare number at the end could be anything.
_GPUS = re.compile(r"[a-z]\d*x(\d{1,2})$|(?:^|[-_])(\d{1,2})-?gpus?\b|gpus?-?(\d{1,2})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """What turns a run into rows: the base branch, and what runner labels mean."""

    base_branch: str
    configuration: Configuration = Configuration()

    def on_base(self, run: Run) -> bool:
        own = not run.head_repo or run.head_repo == run.repo
        return own and run.head_branch == self.base_branch and run.event not in _PULL_EVENTS

    def branch(self, run: Run) -> str:
        own = not run.head_repo or run.head_repo == run.repo
        return run.head_branch if own else f"{run.head_repo.partition('/')[0]}:{run.head_branch}"

    def pool(self, labels: Sequence[str]) -> Pool:
        """By the first configured label that fits, else by the label that tells most, with GPUs only if it says so."""
        for known in self.configuration.runners:
            for label in labels:
                if fnmatchcase(label, known.label):
                    return Pool(label, known.platform, known.gpus, known.held_while_queued)
        telling = [label for label in labels if label.lower() not in _EVERYDAY_LABELS] or list(labels)
        found = next((match for label in telling if (match := _GPUS.search(label))), None)
        gpus = int(next(group for group in found.groups() if group)) if found else 0
        return Pool(" ".join(telling), gpus=gpus)


def settled_jobs(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Jobs that ran and ended, each once: after a partial rerun GitHub may list an untouched job again under the new
    attempt, with a new id but the old times."""
    kept: dict[tuple[object, ...], Job] = {}
    for job in sorted(jobs, key=lambda job: (job.attempt, job.id)):
        if job.status == "completed" and job.conclusion not in (None, "skipped"):
            key = (job.name, job.started_at, job.completed_at) if job.started_at else (job.id,)
            kept.setdefault(key, job)
    return tuple(kept.values())


def needs_log(job: Job) -> bool:
    if job.conclusion in FAILED_OUTRIGHT:
        return True
    ran = job.completed_at - job.started_at if job.started_at and job.completed_at else timedelta()
    return job.conclusion == "cancelled" and ran >= LONG_RUN


def outcome(run: Run, job: Job, place: Place, ended: datetime) -> Outcome:
    """A job that needs no log, or whose log is still to be read. `ended` stands in when GitHub gives no end."""
    return Outcome(
        repo=run.repo,
        run_id=run.id,
        attempt=job.attempt,
        job_id=job.id,
        workflow=run.workflow,
        job=job.name,
        conclusion=job.conclusion or "",
        completed_at=job.completed_at or ended,
        workflow_path=run.workflow_path,
        event=run.event,
        branch=place.branch(run),
        on_base=place.on_base(run),
        sha=run.head_sha,
        author=run.actor,
        pull_request=run.pull_requests[0] if run.event in _PULL_EVENTS and run.pull_requests else 0,
        runner=job.runner_name,
        pool=place.pool(job.labels),
        created_at=job.created_at,
        started_at=job.started_at,
        step=next((step.name for step in job.steps if step.failed), ""),
        log=LogState.PENDING if needs_log(job) else LogState.NOT_NEEDED,
        url=job.url,
    )


def causes_of(found: JobDiagnosis) -> tuple[CauseHit, ...]:
    return tuple(
        CauseHit(
            signature=cause.signature,
            family=cause.family,
            category=str(cause.category),
            fingerprint=cause.id,
            line=cause.line.number,
            text=cause.line.text,
            step=cause.line.step.name if cause.line.step else "",
            confidence=str(cause.confidence),
        )
        for cause in found.causes
    )


def run_attempt(run: Run, jobs: Sequence[Job], place: Place) -> RunAttempt:
    """`run` is this attempt's own answer. Its end is that of its last job."""
    ends = [job.completed_at for job in jobs if job.attempt == run.attempt and job.completed_at]
    ended = max(ends, default=run.updated_at or run.created_at)
    assert ended is not None  # GitHub gives every run a time of creation
    return RunAttempt(
        repo=run.repo,
        run_id=run.id,
        attempt=run.attempt,
        workflow=run.workflow,
        branch=place.branch(run),
        on_base=place.on_base(run),
        conclusion=run.conclusion or "",
        completed_at=ended,
        event=run.event,
        sha=run.head_sha,
    )
