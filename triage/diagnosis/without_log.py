"""A job whose log is not there: its annotations, its steps and the API's times still say something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from triage.diagnosis.platforms import platform_of_job
from triage.diagnosis.scope import veto
from triage.model.diagnosis import Cause, Facts, JobDiagnosis
from triage.model.log import Confidence, Line, Match, Said
from triage.model.run import Annotation, Job, Step, Unavailable, UnavailableReason
from triage.model.signature import Catalogue, Category, Rank, Signature

_LOST, _TIME_LIMIT, _CANCELLED, _WORKFLOW = "ci-runner-lost", "ci-timeout", "ci-cancelled", "workflow-syntax"
# Families of what stops a job from outside.
STOPS = frozenset({_LOST, _TIME_LIMIT, _CANCELLED})
_SUPERSEDED_WORDS = "higher priority waiting request"
# GitHub's own limit for a job without `timeout-minutes`, less the seconds that its clock rounds away.
_DEFAULT_LIMIT = timedelta(minutes=359)
# A newer run of the same concurrency group cancels within so many seconds.
_SUPERSEDES_WITHIN = timedelta(seconds=180)
# The signature that stands for each. Others of its family speak of other services, or of what only a log can show.
_STANDS_FOR = {
    _LOST: "runner-lost",
    _TIME_LIMIT: "time-limit-exceeded",
    _CANCELLED: "operation-canceled",
    _WORKFLOW: "workflow-not-valid",
}
_TITLES = {
    _LOST: "The runner was lost",
    _TIME_LIMIT: "The job ran into its time limit",
    _CANCELLED: "The job was cancelled",
    _WORKFLOW: "The workflow file is not valid",
}


def diagnose_without_log(
    job: Job,
    unavailable: Unavailable,
    annotations: Sequence[Annotation],
    catalogue: Catalogue,
    newer_run_at: datetime | None = None,
    said: Sequence[Said] = (),
) -> JobDiagnosis:
    """Names a root from annotations first, then from status and times; else says what is unavailable.

    `said` is what signatures hold on the annotations. `newer_run_at`: when a newer run of the same workflow and branch
    began, which tells superseded from cancelled.
    """
    step = next((step.name for step in job.steps if step.failed or _unfinished(step, job)), "")
    noted = _from_annotations(job, said, catalogue)
    stop = None if noted and noted.rank is Rank.ROOT else _from_status(job, unavailable, catalogue, newer_run_at)
    cause = stop or noted
    return JobDiagnosis(
        job=job,
        step=step,
        causes=(cause,) if cause else (),
        unavailable=unavailable,
        annotations=tuple(annotations),
        facts=Facts(),
    )


def stopped_from_outside(
    job: Job, said: Sequence[Said], catalogue: Catalogue, newer_run_at: datetime | None = None
) -> Cause | None:
    """A lost runner, a time limit, a cancellation or a newer run, told apart by annotations and the API's times.

    None for a job that ended by itself. A log never tells these apart: it says "canceled" for each.
    """
    noted = _from_annotations(job, said, catalogue)
    if noted is not None and noted.family in STOPS:
        return noted
    if not job.id or job.conclusion not in ("cancelled", "timed_out"):
        return None
    return _from_status(job, Unavailable(UnavailableReason.FAULT, ""), catalogue, newer_run_at)


def _from_annotations(job: Job, said: Sequence[Said], catalogue: Catalogue) -> Cause | None:
    """The first annotation that a root holds on, else a symptom; a superseded run says so only here."""
    for one in said:
        if _SUPERSEDED_WORDS in one.text:
            return _cause(_CANCELLED, one.text, "the annotation says that a newer run superseded it", catalogue)
    for rank in (Rank.ROOT, Rank.SYMPTOM):
        for one in said:
            for signature, match in _named(one, job, catalogue):
                if signature.rank is rank:
                    line = Line(0, one.text)
                    return Cause.of(signature, line, "an annotation says so", Confidence.MEDIUM, match.captures)
    return None


def _named(one: Said, job: Job, catalogue: Catalogue) -> Iterator[tuple[Signature, Match]]:
    """What holds on it, as far as nothing known of the job speaks against it; what another explains comes last."""
    known = [(catalogue.signatures[match.signature], match) for match in one.matches]
    explained = {name for signature, _ in known for name in signature.explains}
    platform = platform_of_job(job)
    for signature, match in sorted(known, key=lambda each: (each[0].id in explained, each[1].line.number)):
        if not veto(signature.scope, job, match.line, platform, ()):
            yield signature, match


def _from_status(
    job: Job, unavailable: Unavailable, catalogue: Catalogue, newer_run_at: datetime | None
) -> Cause | None:
    for family, text, reason in _signs(job, unavailable, newer_run_at):
        return _cause(family, text, reason, catalogue)
    return None


def _signs(job: Job, unavailable: Unavailable, newer_run_at: datetime | None) -> Iterator[tuple[str, str, str]]:
    """Family, what is said as evidence, and why; the surest first."""
    if unavailable.reason is UnavailableReason.NO_JOBS or job.conclusion == "startup_failure":
        yield _WORKFLOW, "the run has no jobs and ended at once", "GitHub starts no job of a file that it cannot read"
    ran = job.completed_at - job.started_at if job.completed_at and job.started_at else timedelta()
    if job.conclusion == "timed_out" or any(step.conclusion == "timed_out" for step in job.steps):
        yield _TIME_LIMIT, f"the job ended as timed out after {_minutes(ran)} minutes", "the conclusion says so"
    unfinished = [step for step in job.steps if _unfinished(step, job)]
    lost = unavailable.reason is UnavailableReason.RUNNER_LOST
    if job.conclusion == "failure" and (unfinished or lost) and not any(step.failed for step in job.steps):
        where = f"step {unfinished[0].number} '{unfinished[0].name}' never ended" if unfinished else unavailable.detail
        yield _LOST, where, "the job failed while a step was still in progress, and no step failed"
    if job.conclusion == "cancelled":
        # GitHub gives a job that no runner took a start too: when it was queued.
        never_ran = unavailable.reason is UnavailableReason.NEVER_STARTED
        yield _cancellation(job, timedelta() if never_ran else ran, newer_run_at, never_ran)


def _cancellation(job: Job, ran: timedelta, newer_run_at: datetime | None, never_ran: bool) -> tuple[str, str, str]:
    if ran >= _DEFAULT_LIMIT:
        return _TIME_LIMIT, f"cancelled after {_minutes(ran)} minutes", "GitHub cancels a job at its time limit"
    if newer_run_at and job.completed_at and is_superseded(job, newer_run_at):
        seconds = int((job.completed_at - newer_run_at).total_seconds())
        return _CANCELLED, f"cancelled {seconds} s after a newer run began", "a newer run superseded it"
    if never_ran:
        return _CANCELLED, "cancelled before a runner took it", "the conclusion says so, and nothing of it ran"
    return _CANCELLED, f"cancelled after {_minutes(ran)} minutes", "the conclusion says so, and no limit was near"


def is_superseded(job: Job, newer_run_at: datetime | None) -> bool:
    """Whether the newer run's beginning says why the job was cancelled: only a time limit would be a better reason."""
    if job.conclusion != "cancelled" or newer_run_at is None or job.completed_at is None:
        return False
    ran = job.completed_at - job.started_at if job.started_at else timedelta()
    return ran < _DEFAULT_LIMIT and timedelta() <= job.completed_at - newer_run_at <= _SUPERSEDES_WITHIN


def _unfinished(step: Step, job: Job) -> bool:
    return job.status == "completed" and step.status == "in_progress"


def _minutes(ran: timedelta) -> int:
    return int(ran.total_seconds() // 60)


def _cause(family: str, text: str, reason: str, catalogue: Catalogue) -> Cause:
    """Named by the signature that stands for the family; without it the family stands for itself."""
    signature = catalogue.signatures.get(_STANDS_FOR[family])
    if signature is not None:
        return Cause.of(signature, Line(0, text), reason, Confidence.MEDIUM)
    return Cause(
        id=family,
        signature=family,
        title=_TITLES[family],
        family=family,
        category=Category.INFRA,
        rank=Rank.ROOT,
        line=Line(0, text),
        reason=reason,
        confidence=Confidence.MEDIUM,
    )
