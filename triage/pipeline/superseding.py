"""Newer runs that may have cancelled a job: GitHub's log says the same whether a person or a newer run cancelled it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from triage.interfaces import RunSource
from triage.model.run import Job, Run


def newer_runs(source: RunSource, run: Run, jobs: Sequence[Job]) -> Sequence[Run]:
    """Those that began before the last of these jobs was cancelled; nobody is asked when none was.

    Raises GitHubError.
    """
    ends = [job.completed_at for job in jobs if job.conclusion == "cancelled" and job.completed_at]
    return source.newer_runs(run, max(ends)) if ends and run.created_at else ()


def began_before_its_end(newer: Sequence[Run], job: Job) -> datetime | None:
    """When the last of the newer runs was created that was there as the job ended."""
    end = job.completed_at
    moments = [run.created_at for run in newer if run.created_at and end and run.created_at <= end]
    return max(moments, default=None)
