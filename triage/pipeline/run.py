"""A run on GitHub: which jobs failed, their logs side by side, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from triage.diagnosis.verdict import judge
from triage.errors import GitHubError, NothingToTriage
from triage.interfaces import RunSource
from triage.model.configuration import Configuration
from triage.model.diagnosis import Verdict
from triage.model.result import CauseGroup, Failure
from triage.model.run import Annotation, Job, Run, Transfer, Unavailable, UnavailableReason
from triage.pipeline.evidence import Gatherer
from triage.pipeline.group import Judge, is_generic
from triage.pipeline.prescribe import TreeAccess
from triage.pipeline.sightings import EvidenceSource
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, examine


class Watch:
    """Told what goes on; a command line overrides these to draw progress."""

    def transferred(self, transfer: Transfer) -> None:
        """Some bytes of a log have come. Called from several threads."""

    def examined(self, done: int, total: int, job: Job) -> None:
        """A job is done."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which jobs of the run to look at: a job's id, or a glob over names. Empty: all that failed."""

    job_id: int = 0
    job: str = ""


def triage_run(
    source: RunSource,
    run: Run,
    knowledge: Knowledge,
    trees: TreeAccess,
    *,
    selection: Selection = Selection(),
    siblings: bool = False,
    watch: Watch = Watch(),
    evidence: EvidenceSource | None = None,
) -> Triaged:
    """Diagnose every failed job of one attempt; with `evidence`, judge whose failure each cause is.

    Raises GitHubError when the list of jobs cannot be read, NothingToTriage when no job has failed.
    """
    jobs = source.jobs(run)
    failed = failed_jobs(run, jobs, knowledge.configuration, selection)
    notices = list(_notices(run, jobs))
    failures = list(_examine(source, run, failed, knowledge, watch, notices))
    order = {job.id: place for place, job in enumerate(failed)}
    failures.sort(key=lambda failure: order.get(failure.diagnosis.job.id, len(order)))
    whose = _judge(evidence, knowledge, run)
    return conclude(
        failures,
        knowledge,
        trees,
        repo=run.repo,
        runs=(run,),
        notices=notices,
        siblings=siblings,
        judge=whose,
    )


def _judge(evidence: EvidenceSource | None, knowledge: Knowledge, run: Run) -> Judge | None:
    if evidence is None:
        return None
    gatherer = Gatherer(evidence, knowledge, run)

    def judged(group: CauseGroup, failures: Sequence[Failure]) -> Verdict:
        subject, findings = gatherer.gather(group, failures)
        category = next(cause.category for cause in failures[0].diagnosis.causes if cause.id == group.id)
        return judge(category, is_generic(group, knowledge.catalogue), subject, findings)

    return judged


def failed_jobs(run: Run, jobs: Sequence[Job], configuration: Configuration, selection: Selection) -> tuple[Job, ...]:
    """The failed jobs that are asked for, really failed ones before cancelled ones; NothingToTriage without any."""
    if not jobs and run.conclusion in {"failure", "startup_failure"}:
        return (_no_job(run),)
    failed = [job for job in jobs if job.failed and not _left_out(job, configuration)]
    chosen = [job for job in failed if _is_selected(job, selection)]
    if chosen:
        return tuple(sorted(chosen, key=lambda job: job.conclusion == "cancelled"))
    raise NothingToTriage(*_why_nothing(run, jobs, failed, selection))


def _why_nothing(run: Run, jobs: Sequence[Job], failed: Sequence[Job], selection: Selection) -> tuple[str, str]:
    if failed:
        asked = selection.job or str(selection.job_id)
        return (
            f"no failed job of run {run.id} matches {asked}.",
            f"Failed jobs: {', '.join(job.name for job in failed[:8])}.",
        )
    if run.status != "completed":
        return f"run {run.id} is still {run.status}, and no job has failed so far.", "Try again when it is done."
    if any(job.failed for job in jobs):
        return f"every failed job of run {run.id} is left out by the configuration.", "See leave_out in triage.toml."
    return f"run {run.id} did not fail (conclusion: {run.conclusion}).", "Nothing to triage."


def _is_selected(job: Job, selection: Selection) -> bool:
    if selection.job_id:
        return job.id == selection.job_id
    return not selection.job or selection.job in job.name or fnmatchcase(job.name, selection.job)


def _left_out(job: Job, configuration: Configuration) -> bool:
    return any(fnmatchcase(job.name, glob) for glob in configuration.leave_out)


def _no_job(run: Run) -> Job:
    return Job(0, run.id, run.attempt, "", "completed", run.conclusion, url=run.url)


def _notices(run: Run, jobs: Sequence[Job]) -> Iterator[str]:
    if run.status != "completed":
        going = sum(job.status != "completed" for job in jobs)
        yield f"run {run.id} is still {run.status}: {going} of {len(jobs)} jobs have not ended"


def _examine(
    source: RunSource, run: Run, jobs: Sequence[Job], knowledge: Knowledge, watch: Watch, notices: list[str]
) -> Iterator[Failure]:
    """While some logs are on the wire, those that have come are read, matched and diagnosed.

    What else could not be had is added to `notices`.
    """
    without = [job for job in jobs if not job.id]
    for job in without:
        why = Unavailable(UnavailableReason.NO_JOBS, "the run has no jobs: its workflow file is not valid")
        yield from examine(FailedJob(job, why, run=run), knowledge)
    logged = [job for job in jobs if job.id]
    for done, (job, log) in enumerate(source.fetch_logs(logged, watch.transferred), start=1):
        annotations = _annotations(source, job, notices) if _needs_annotations(job, log) else ()
        yield from examine(FailedJob(job, log, annotations, run), knowledge)
        watch.examined(done, len(logged), job)


def _annotations(source: RunSource, job: Job, notices: list[str]) -> tuple[Annotation, ...]:
    """One job's annotations are not worth the results of all others: without them it is diagnosed all the same."""
    try:
        return tuple(source.annotations(job))
    except GitHubError as fault:
        notices.append(f"the annotations of {job.name} could not be read: {fault.message}")
        return ()


def _needs_annotations(job: Job, log: object) -> bool:
    """Annotations cost a request: they are asked for when there is no log, or when the end was not the program's."""
    return isinstance(log, Unavailable) or job.conclusion in {"cancelled", "timed_out"}
