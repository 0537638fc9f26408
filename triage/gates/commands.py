"""What the draft's jobs run before and after it, and which commands differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.evaluate.job import evaluate_job, given_by_files
from triage.fixes.evaluate.traced import untraced
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target, facts_of
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import find_job
from triage.gates.change import Change, JobRun
from triage.gates.reaches import TEXTUAL
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Draft


@dataclass(frozen=True, slots=True)
class Pair:
    """A command that the draft changes; `before` is None when it is new."""

    title: str
    before: Invocation | None
    after: Invocation


def job_runs(draft: Draft, head: Tree, after: Tree, target: Target, facts: Facts) -> tuple[JobRun, ...]:
    """The target's job and every job that the draft makes a promise about."""
    wanted = [(target.workflow_path, target.job)] if target.workflow_path else []
    wanted += [(one.workflow_path, one.job) for one in draft.expectations if one.kind not in TEXTUAL]
    runs = []
    for path, job in dict.fromkeys(wanted):
        labels = target.labels if (path, job) == (target.workflow_path, target.job) else ()
        known = facts_of(facts, target, path, job)
        # What the trace shows and the files before the edit give need not hold after it.
        found = _job(head, path, job, labels)
        held = known if isinstance(found, Refusal) else untraced(known, given_by_files(head, found, known))
        before = _evaluated(head, found, known)
        runs.append(JobRun(path, job, before, _evaluated(after, _job(after, path, job, labels), held), held))
    return tuple(runs)


def _evaluated(tree: Tree, job: Job | Refusal, facts: Facts) -> Evaluation | Refusal:
    return job if isinstance(job, Refusal) else evaluate_job(tree, job, facts)


def _job(tree: Tree, path: str, job: str, labels: tuple[str, ...]) -> Job | Refusal:
    workflow = load_workflow(tree, path)
    return workflow if isinstance(workflow, Refusal) else find_job(tree, workflow, job, labels)


def changed_commands(change: Change) -> tuple[Pair, ...]:
    return tuple(pair for run in change.jobs for pair in _changed(run))


def _changed(run: JobRun) -> Iterator[Pair]:
    if isinstance(run.before, Refusal) or isinstance(run.after, Refusal):
        return
    old, new = run.before.invocations, run.after.invocations
    for at, after in enumerate(new):
        before = old[at] if len(old) == len(new) else _like(old, after)
        if before is None or before.command_line != after.command_line:
            yield Pair(f"{run.job}, step {after.step_name or after.step}", before, after)


def _like(old: tuple[Invocation, ...], after: Invocation) -> Invocation | None:
    """The same command elsewhere, when commands were added or removed."""
    return next((before for before in old if before.command_line == after.command_line), None)
