"""From what a person or a log calls a job or a step to the place in the workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from triage.fixes.evaluate.values import Value, known, unknown
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.displayed import CUT, Shape, displayed, fits, shape_in, tells
from triage.fixes.workflow.load import callee, job_context, load_job, load_workflow, workflow_paths
from triage.fixes.workflow.model import Combination, Job, Step, Workflow
from triage.interfaces import Tree

# GitHub allows ten levels of reusable workflows.
CALLS_CAP = 10
# Calls followed in all: each may lead to several, and each of those again.
MOST_CALLS = 1000


class Named(NamedTuple):
    """One cell of one job, by the ids and by the displayed names of the chain of calls that leads to it."""

    job: Job
    ids: str
    shapes: tuple[Shape, ...]


@dataclass(slots=True)
class _Calls:
    left: int = MOST_CALLS

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


def find_job(tree: Tree, workflow: Workflow, name: str, labels: Sequence[str] = ()) -> Job | Refusal:
    """The job with this id or displayed name: "test", "test (fsdp2, 8)", "Nightly / test", or a `name:` that holds
    expressions. Matrix cells are narrowed to those meant; `labels` (`runs-on`) choose where a name fits several."""
    wanted = name.strip()
    bare = wanted.rpartition(" (")[0] if wanted.endswith(")") else ""
    calls = _Calls()
    every = list(_named(tree, workflow, calls))
    if calls.left < 0:
        return Refusal(f"it calls more than {MOST_CALLS} workflows, one through another", workflow.path)
    ranks: tuple[Callable[[Named], bool], ...] = (
        lambda one: one.ids == wanted,
        lambda one: any(None not in shape and fits(shape, wanted) for shape in one.shapes),
        lambda one: any(tells(shape) and fits(shape, wanted) for shape in one.shapes),
        lambda one: bool(bare) and one.ids == bare and any(cell.label or cell.dynamic for cell in one.job.combinations),
        # Matrix values that the tree does not have (any more): all cells of the one job of that name.
        lambda one: bool(bare) and any(None not in shape and fits(shape, bare) for shape in one.shapes),
        lambda one: any(fits(shape, wanted) for shape in one.shapes),
    )
    for rank in ranks:
        found = _merged([one.job for one in every if rank(one)])
        if len(found) > 1 and labels:
            found = [job for job in found if set(job.labels) <= set(labels)] or found
        if len(found) == 1:
            return found[0]
        if found and len({(job.path, job.id) for job in found}) == 1:
            return _in_common(found)
        if found:
            several = ", ".join(f"`{job.id}`" for job in found)
            return Refusal(f"`{wanted}` fits several jobs: {several}", workflow.path)
    caller, _, inner = wanted.partition(" / ")
    if inner and caller not in workflow.job_ids and "workflow_call" in workflow.triggers:
        # Given the workflow that is called, with the name that the run shows: the caller's job comes first there.
        found_inside = find_job(tree, workflow, inner, labels)
        return found_inside if not isinstance(found_inside, Refusal) else _why_not(tree, workflow, wanted)
    called = _for_caller(tree, workflow, bare or wanted) if "workflow_call" in workflow.triggers else []
    return _in_common(called) if len({(job.path, job.id) for job in called}) == 1 else _why_not(tree, workflow, wanted)


def lacks_cell(tree: Tree, workflow: Workflow, name: str) -> bool:
    """Whether `name` ends in matrix values and fits no cell of a job: `find_job` then means all cells of that job."""
    every = _named(tree, workflow, _Calls())
    return name.endswith(")") and not any(fits(shape, name) for one in every for shape in one.shapes)


def _for_caller(tree: Tree, workflow: Workflow, wanted: str) -> list[Job]:
    """The jobs of a called workflow, given with the name that a job of its callers has."""
    name = workflow.path.rpartition("/")[2].encode()
    found: list[Job] = []
    for path in workflow_paths(tree):
        caller = load_workflow(tree, path) if name in tree.read(path) else None
        if caller is None or isinstance(caller, Refusal) or wanted not in caller.job_ids:
            continue
        every = _named(tree, caller, _Calls())
        found += [one.job for one in every if one.ids.startswith(f"{wanted} / ") and one.job.path == workflow.path]
    return _merged(found)


def _in_common(jobs: Sequence[Job]) -> Job:
    """One job that several calls lead to: of what they hand it, only what they agree on is known."""
    inputs: dict[str, Value] = {}
    for name in dict.fromkeys(name for job in jobs for name in job.inputs):
        texts = {job.inputs[name].text if name in job.inputs else None for job in jobs}
        agreed = texts.pop() if len(texts) == 1 else None
        inputs[name] = unknown(name) if agreed is None else known(agreed)
    return replace(jobs[0], inputs=inputs)


def _why_not(tree: Tree, workflow: Workflow, wanted: str) -> Refusal:
    """What is wrong with the call that `wanted` names or goes through; else which jobs there are."""
    for job_id in workflow.job_ids:
        job = load_job(workflow, job_id, {}, ())
        names = {job_id, displayed(job.name, {})} if not isinstance(job, Refusal) and job.uses else set()
        if isinstance(job, Refusal) or not any(wanted == name or wanted.startswith(f"{name} / ") for name in names):
            continue
        broken = _broken_call(tree, job, (), _Calls())
        if broken is not None:
            return broken
        inner = [one.ids for one in _named(tree, workflow, _Calls()) if one.ids.startswith(f"{job_id} / ")]
        if inner:
            listed = ", ".join(f"`{ids}`" for ids in dict.fromkeys(inner))
            return Refusal(
                f"`{wanted}` is no job that runs steps: `{job_id}` calls {job.uses}, with {listed}", job.path
            )
    if wanted in workflow.job_ids and isinstance(load_job(workflow, wanted, {}, ()), Refusal):
        return Refusal(f"the job `{wanted}` holds nothing that runs", workflow.path)
    return Refusal(f"no job is called `{wanted}`; there are {', '.join(workflow.job_ids)}", workflow.path)


def _broken_call(tree: Tree, job: Job, callers: tuple[Job, ...], calls: _Calls) -> Refusal | None:
    """The first call, from this job on, that leads nowhere or back to a workflow that it came from."""
    called = callee(tree, job, job.combinations[0])
    if isinstance(called, Refusal):
        return Refusal(f"the workflow that `{job.id}` calls cannot be followed: {called}", job.path, job.line)
    workflow, _ = called
    if _returns(workflow, (*callers, job)):
        way = " -> ".join([*(one.path for one in (*callers, job)), workflow.path])
        text = f"`{job.id}` calls {job.uses}, so that the workflow calls itself, which GitHub refuses ({way})"
        return Refusal(text, job.path, job.line)
    inner = (load_job(workflow, name, {}, (*callers, job)) for name in workflow.job_ids)
    follows = len(callers) < CALLS_CAP
    calling = (one for one in inner if not isinstance(one, Refusal) and one.uses and follows and calls.take())
    return next((broken for one in calling if (broken := _broken_call(tree, one, (*callers, job), calls))), None)


def _returns(workflow: Workflow, callers: tuple[Job, ...]) -> bool:
    return any(one.path == workflow.path for one in callers)


def workflows_with(tree: Tree, name: str) -> tuple[tuple[str, Job], ...]:
    """The workflows that have a job of this id or displayed name: path and job."""
    loaded = ((path, load_workflow(tree, path)) for path in workflow_paths(tree))
    found = ((path, find_job(tree, one, name)) for path, one in loaded if not isinstance(one, Refusal))
    return tuple((path, job) for path, job in found if not isinstance(job, Refusal))


def find_step(job: Job, name: str) -> Step | Refusal:
    """The step that a log or the API calls `name`; `Post ...` and `Set up job` belong to no step."""
    wanted, steps = name.strip(), job.steps
    context = job_context(job, job.combinations[0])
    ranks: tuple[Callable[[Step], bool], ...] = (
        lambda step: None not in (shape := shape_in(step.name, context)) and fits(shape, wanted),
        lambda step: fits(shape_in(step.name, context), wanted),
        lambda step: bool(wanted) and step.id == wanted,
    )
    for rank in ranks:
        found = [step for step in steps if rank(step)]
        if len(found) == 1:
            return found[0]
        if found:
            lines = ", ".join(str(step.line) for step in found)
            return Refusal(f"`{wanted}` names several steps of `{job.id}` (lines {lines})", job.path, found[0].line)
    return Refusal(f"`{job.id}` has no step `{wanted}`", job.path, job.line)


def jobs_of(tree: Tree, workflow: Workflow) -> tuple[Job, ...]:
    """Every job that runs steps, also those of reusable workflows it calls; what cannot be loaded is left out, and so
    is what only hands a script over: it has no steps that others could copy."""
    every = (named.job for named in _named(tree, workflow, _Calls()))
    return tuple(_merged([job for job in every if not job.uses]))


def _named(
    tree: Tree,
    workflow: Workflow,
    calls: _Calls,
    inputs: Mapping[str, Value] | None = None,
    callers: tuple[Job, ...] = (),
    ids: str = "",
    prefixes: Sequence[Shape] = ([],),
) -> Iterator[Named]:
    for job_id in workflow.job_ids:
        job = load_job(workflow, job_id, inputs or {}, callers)
        if isinstance(job, Refusal):
            continue
        for cell in job.combinations:
            one = replace(job, combinations=(cell,))
            shapes = [prefix + shape for prefix in prefixes for shape in _shapes(one, cell)]
            if not job.uses:
                yield Named(one, ids + job_id, tuple(shapes))
            elif job.hands_script:
                yield Named(one, ids + job_id, tuple(_of_foreign(shape) for shape in [*shapes, *_cut(one, cell)]))
            elif len(callers) < CALLS_CAP and calls.take():
                yield from _called(tree, one, cell, calls, f"{ids}{job_id} / ", shapes)


def _called(tree: Tree, job: Job, cell: Combination, calls: _Calls, ids: str, shapes: list[Shape]) -> Iterator[Named]:
    called = callee(tree, job, cell)
    if not isinstance(called, Refusal):
        workflow, inputs = called
        if _returns(workflow, (*job.callers, job)):
            return  # it would never end
        prefixes = [[*shape, " / "] for shape in shapes]
        yield from _named(tree, workflow, calls, inputs, (*job.callers, job), ids, prefixes)


def _of_foreign(shape: Shape) -> Shape:
    """A job of a workflow that another repository holds, whatever it is called there."""
    return [*shape, " / ", None]


def _cut(job: Job, cell: Combination) -> list[Shape]:
    """The name of a call in a matrix, where GitHub cuts it before the name of what is called."""
    inside = cell.dynamic or cell.label
    return [[*shape_in(job.name, job_context(job, cell)), " (", None, CUT]] if inside else []


def _shapes(job: Job, cell: Combination) -> list[Shape]:
    """A job's name alone and, in a matrix, with the values in parentheses."""
    name = shape_in(job.name, job_context(job, cell))
    if cell.dynamic:
        return [name, [*name, " (", None, ")"]]
    # Whether GitHub shows a value that is empty is its matter: both are meant.
    filled = ", ".join(part for part in cell.label.split(", ") if part)
    return [name, *([*name, f" ({label})"] for label in dict.fromkeys((cell.label, filled)) if label)]


def _merged(jobs: list[Job]) -> list[Job]:
    """Cells of one job become one job with these cells."""
    merged: dict[tuple[object, ...], Job] = {}
    for job in jobs:
        key = (job.path, job.id, *(f"{caller.id} {caller.combinations[0].label}" for caller in job.callers))
        cells = (*merged[key].combinations, *job.combinations) if key in merged else job.combinations
        merged[key] = replace(job, combinations=cells)
    return list(merged.values())
