"""Whether a log can come from the job that is worked on: its steps are those of this commit, or of none of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.headers import fits_header, steps_of_job
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Step
from triage.fixes.workflow.names import find_job
from triage.interfaces import Tree
from triage.model.trail import Announced

# One step of another wording is an edit of the day; so many that are all of another wording are another job.
_LEAST = 2
# Actions of GitHub's own that run no script of a shell.
_PLAIN = ("actions/", "docker/", "./")


@dataclass(frozen=True, slots=True)
class Doubt:
    """`against`: why the log is not one of this job at this commit. `lost`: that, or that only the failed step, whose
    script the log shows, is none of the job's. "" where nothing says so."""

    against: str = ""
    lost: str = ""


def doubt(tree: Tree, target: Target, announced: Sequence[Announced]) -> Doubt:
    """Steps of actions and workflows that lie in other repositories are shown in the log too, so a job that uses one
    says nothing."""
    shown = [one for one in announced if _has_script(one)]
    steps = _own_steps(tree, target) if shown else []
    if not steps:
        return Doubt()
    against = _against(target, steps, shown)
    return Doubt(against, against or _lost(target, steps, shown))


def _against(target: Target, steps: Sequence[Step], shown: Sequence[Announced]) -> str:
    if len(shown) < _LEAST or any(fits_header(step, header) for step in steps for header in shown):
        return ""
    first = next(line.strip() for line in shown[-1].script if line.strip())
    return (
        f"none of the {len(shown)} scripts that the log shows is a step of {target.job} at this commit"
        f" (`{first[:80]}`): the log belongs to another commit or another job"
    )


def _lost(target: Target, steps: Sequence[Step], shown: Sequence[Announced]) -> str:
    failed = [one for one in shown if one.title == target.step]
    if not failed or any(fits_header(step, failed[-1]) for step in steps):
        return ""
    return f"the step that failed (`{target.step[:80]}`) is none of {target.job} at this commit"


def _has_script(one: Announced) -> bool:
    return any(line.strip() for line in one.script)


def _own_steps(tree: Tree, target: Target) -> list[Step]:
    """All steps of the job; none where it is not found, or some of them lie in another repository."""
    workflow = Refusal("") if is_typed(target.workflow_path) else load_workflow(tree, target.workflow_path)
    job = workflow if isinstance(workflow, Refusal) else find_job(tree, workflow, target.job, target.labels)
    if isinstance(job, Refusal) or job.uses:
        return []
    steps = steps_of_job(tree, job)
    foreign = any(one.uses and not one.uses.startswith(_PLAIN) for one in steps)
    return [] if foreign or all(one.run is None for one in steps) else steps
