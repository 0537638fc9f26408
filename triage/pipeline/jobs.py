"""Which jobs of a run to look at, and what to say when there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from triage.errors import NothingToTriage
from triage.model.configuration import Configuration
from triage.model.run import FAILED_CONCLUSIONS, Job, Run


@dataclass(frozen=True, slots=True)
class Selection:
    """Which jobs of the run to look at: a job's id, or a glob over names. Empty: all that failed."""

    job_id: int = 0
    job: str = ""


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
    if run.conclusion in FAILED_CONCLUSIONS:
        ends = ", ".join(sorted({job.conclusion or job.status for job in jobs})) or "none"
        return f"run {run.id} ended as {run.conclusion}, and no job of it failed: they ended as {ends}.", "Look there."
    return f"run {run.id} did not fail (conclusion: {run.conclusion}).", "Nothing to triage."


def _is_selected(job: Job, selection: Selection) -> bool:
    if selection.job_id:
        return job.id == selection.job_id
    return not selection.job or selection.job in job.name or fnmatchcase(job.name, selection.job)


def _left_out(job: Job, configuration: Configuration) -> bool:
    return any(fnmatchcase(job.name, glob) for glob in configuration.leave_out)


def _no_job(run: Run) -> Job:
    return Job(0, run.id, run.attempt, "", "completed", run.conclusion, url=run.url)


def histories(attempts: Mapping[int, Sequence[Job]]) -> dict[int, str]:
    """Job id -> what the other executions of the same job came to: "passed in attempt 2". `attempts`: number -> jobs.

    An attempt lists the jobs that it did not run again too, under their own attempt: each execution counts once.
    """
    executions = {job.id: job for number in sorted(attempts) for job in attempts[number] if job.id}
    by_name: dict[str, list[Job]] = {}
    for job in executions.values():
        by_name.setdefault(job.name, []).append(job)
    return {job.id: said for jobs in by_name.values() for job in jobs if (said := _others(job, jobs))}


def _others(job: Job, jobs: Sequence[Job]) -> str:
    words = {"success": "passed", "failure": "failed"}
    others = sorted((one for one in jobs if one.id != job.id), key=lambda one: one.attempt)
    told = [
        f"{words.get(one.conclusion or '', one.conclusion or one.status)} in attempt {one.attempt}" for one in others
    ]
    return ", ".join(told)
