"""A run on GitHub: which jobs failed, their logs side by side, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from fnmatch import fnmatchcase

from triage.errors import NothingToTriage
from triage.interfaces import RunSource
from triage.model.configuration import Configuration
from triage.model.result import Failure
from triage.model.run import Job, Run, Unavailable, UnavailableReason
from triage.pipeline.prescribe import TreeAccess
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, examine

# Log downloads are bound by the network; four connections are what GitHub's own client uses.
CONNECTIONS = 4

# Called with the number of jobs done, of all jobs, and the job that was just done.
Progress = Callable[[int, int, str], None]


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
    progress: Progress = lambda done, total, name: None,
) -> Triaged:
    """Diagnose every failed job of one attempt. Raises GitHubError, NothingToTriage."""
    jobs = source.jobs(run)
    failed = failed_jobs(run, jobs, knowledge.configuration, selection)
    notices = list(_notices(run, jobs))
    failures: list[Failure] = []
    with _Workers(source, knowledge) as workers:
        for done, (job, found) in enumerate(workers.examine(run, failed), start=1):
            failures.extend(found)
            progress(done, len(failed), job.name)
    order = {job.id: place for place, job in enumerate(failed)}
    failures.sort(key=lambda failure: order.get(failure.diagnosis.job.id, len(order)))
    return conclude(failures, knowledge, trees, repo=run.repo, runs=(run,), notices=notices, siblings=siblings)


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


class _Workers:
    """Fetches and diagnoses jobs side by side: while some logs are on the wire, others are matched."""

    def __init__(self, source: RunSource, knowledge: Knowledge) -> None:
        self._source = source
        self._knowledge = knowledge
        self._pool = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="triage-log")

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        # After Ctrl-C or a fault nothing that has not begun may begin.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def examine(self, run: Run, jobs: Sequence[Job]) -> Iterator[tuple[Job, tuple[Failure, ...]]]:
        """Each job with its failures, as they come in."""
        pending: dict[Future[tuple[Failure, ...]], Job] = {self._pool.submit(self._one, run, job): job for job in jobs}
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield pending.pop(future), future.result()

    def _one(self, run: Run, job: Job) -> tuple[Failure, ...]:
        if not job.id:
            why = Unavailable(UnavailableReason.NO_JOBS, "the run has no jobs: its workflow file is not valid")
            return examine(FailedJob(job, why, run=run), self._knowledge)
        found = self._source.log(job)
        annotations = tuple(self._source.annotations(job)) if _needs_annotations(job, found) else ()
        return examine(FailedJob(job, found, annotations, run), self._knowledge)


def _needs_annotations(job: Job, log: object) -> bool:
    """Annotations cost a request: they are asked for when there is no log, or when the end was not the program's."""
    return isinstance(log, Unavailable) or job.conclusion in {"cancelled", "timed_out"}
