"""From the headers of a log's steps to the one job of the repository that has these steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from triage.fixes.refusal import Refusal
from triage.fixes.workflow.displayed import fits, may_show, shape_of
from triage.fixes.workflow.files import action_files
from triage.fixes.workflow.load import load_workflow, read_yaml, workflow_paths
from triage.fixes.workflow.model import Job, Step, steps_of
from triage.fixes.workflow.names import jobs_of, workflows_with
from triage.fixes.yaml.nodes import child
from triage.interfaces import Tree
from triage.model.trail import Announced

_DEPTH = 3
# Steps of one job, those of its composite actions included.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Told:
    """`job` as `find_job` takes it: the ids of the calls that lead to it."""

    workflow_path: str
    job: str


def told_by_headers(tree: Tree, headers: Sequence[Announced], name: str = "") -> Told | Refusal:
    """The job that explains every header that any job of the tree explains; refused when none does, or several do.

    `name` is the job's displayed name, where the log has it: it chooses among jobs of the same steps.
    """
    explained = {job: frozenset(_explained(tree, job, headers)) for job in _jobs(tree, headers)}
    every = frozenset().union(*explained.values()) if explained else frozenset()
    if not any(headers[at].script for at in every):
        return Refusal("no step of the log is one of the repository's workflows")
    full = [job for job, own in explained.items() if own == every]
    named = [job for job in full if _called(job, name)]
    if not named and any(_called(job, name) for job in explained):
        return Refusal(f"the log's steps are not those of {name[:80]}")
    chosen = dict.fromkeys(_told(job) for job in named or full)
    if len(chosen) == 1:
        return next(iter(chosen))
    several = ", ".join(f"{one.workflow_path}: {one.job}" for one in list(chosen)[:4])
    return Refusal(f"the log's steps fit {f'several jobs ({several})' if chosen else 'no single job'}")


def told_by_name(tree: Tree, name: str) -> Told | Refusal:
    """The one job of the tree that has this id or displays this name; a name that is all expression is no match."""
    found = [job for _, job in workflows_with(tree, name)] if name else []
    meant = dict.fromkeys(_told(job) for job in found if name == job.id or job.callers or _called(job, name))
    if len(meant) == 1:
        return next(iter(meant))
    return Refusal(f"{len(meant) or 'no'} workflows have a job {name[:80]}")


def _called(job: Job, name: str) -> bool:
    """Whether the job is displayed so; one whose whole name is an expression may be displayed in any way."""
    shape = shape_of(job.name)
    return bool(name) and any(shape) and fits(shape, name.rpartition(" (")[0] or name)


def _jobs(tree: Tree, headers: Sequence[Announced]) -> Iterator[Job]:
    """Jobs that run; a workflow that others only call counts where it is called."""
    workflows = [load_workflow(tree, path) for path in workflow_paths(tree)] if headers else []
    jobs = [job for one in workflows if not isinstance(one, Refusal) for job in jobs_of(tree, one)]
    called = {job.path for job in jobs if job.callers}
    yield from (job for job in jobs if job.callers or job.path not in called)


def _told(job: Job) -> Told:
    top = job.callers[0].path if job.callers else job.path
    return Told(top, " / ".join([*(caller.id for caller in job.callers), job.id]))


def _explained(tree: Tree, job: Job, headers: Sequence[Announced]) -> Iterator[int]:
    steps = steps_of_job(tree, job)
    for at, header in enumerate(headers):
        if any(fits_header(step, header) for step in steps):
            yield at


def steps_of_job(tree: Tree, job: Job) -> list[Step]:
    """Its steps, and those of the repository's own actions among them."""
    return list(islice(_steps(tree, job.steps, 0), _MOST))


def _steps(tree: Tree, steps: Sequence[Step], depth: int) -> Iterator[Step]:
    """The steps, and those of the repository's own composite actions, whose headers the log shows too."""
    for step in steps:
        yield step
        if step.uses.startswith("./") and depth < _DEPTH:
            folder = step.uses.removeprefix("./").rstrip("/")
            document = read_yaml(tree, next((one for one in action_files(folder) if one in tree), ""))
            if not isinstance(document, Refusal):
                yield from _steps(tree, steps_of(document, child(document.root, "runs", "steps")), depth + 1)


def fits_header(step: Step, header: Announced) -> bool:
    """The step's first line stands in the title, and every line that was echoed is one of its script."""
    title = header.title.removeprefix("Run ")
    if step.run is None:
        return bool(step.uses) and step.uses == title
    lines = step.script
    if not lines or not may_show(lines[0], title.strip()) or None in shape_of(lines[0])[:1]:
        return False
    return all(any(may_show(line, said.strip()) for line in lines) for said in header.script if said.strip())
