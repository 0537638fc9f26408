"""The other jobs of the repository: where values are copied from."""

from __future__ import annotations

from collections.abc import Iterator

from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform


def sibling_jobs(here: Situation, holding: bytes = b"") -> Iterator[Job]:
    """Jobs of the same file first, then of all other files that hold some text; never the job itself."""
    ordered = sorted(workflow_paths(here.tree), key=lambda path: (path != here.job.path, path))
    for path in ordered:
        if holding and holding not in here.tree.read(path):
            continue
        workflow = load_workflow(here.tree, path)
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) != (here.job.path, here.job.id):
                yield job


def same_runner(here: Situation, job: Job) -> bool:
    """Whether two jobs run on the same kind of machine: equal labels, or the same hardware where labels differ."""
    if job.labels and job.labels == here.job.labels:
        return True
    own = job_platform(here.job)
    return bool(own) and own == job_platform(job)
