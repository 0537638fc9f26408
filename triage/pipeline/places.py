"""Where each failed job is worked on: its own workflow, else what its log tells of its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from triage.fixes import Target
from triage.fixes.overlay import Overlay
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.find import Whereabouts, program_of, whereabouts
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.names import lacks_cell
from triage.interfaces import Tree
from triage.model.patch import Draft
from triage.model.result import Failure
from triage.pipeline.prescription import Trees


@dataclass(frozen=True, slots=True)
class Place:
    """`files` are those that only this process sees: they lie over both trees. `note` says how the place was found."""

    target: Target
    tested: Tree
    head: Tree
    note: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)

    def noted(self, drafts: tuple[Draft, ...]) -> tuple[Draft, ...]:
        return tuple(replace(one, notes=(*one.notes, self.note)) for one in drafts) if self.note else drafts


def place_of(failure: Failure, trees: Trees) -> Place:
    """The job's workflow where it is named; else the job or the program that the log tells."""
    target = target_of(failure)
    if not target.workflow_path:
        return _placed(whereabouts(trees.head, target, failure.diagnosis.trail, failure.id), target, trees)
    if not _of_another_service(target.workflow_path, trees):
        return Place(target, trees.tested, trees.head, _cell_note(target, trees.tested))
    unnamed = replace(target, workflow_path="")
    found = program_of(trees.head, unnamed, failure.diagnosis.trail, failure.id)
    note = f"{target.workflow_path} is no workflow of GitHub's: what the log shows of its commands was followed"
    return replace(_placed(found, unnamed, trees), note=note)


def _of_another_service(path: str, trees: Trees) -> bool:
    """A file of the tree that is no workflow of GitHub's: a pipeline of Buildkite, GitLab or Azure."""
    return path in trees.tested and not is_workflow(path) and isinstance(load_workflow(trees.tested, path), Refusal)


def _cell_note(target: Target, tree: Tree) -> str:
    """What a reader has to know where the named cell of a matrix is none of the tested tree."""
    workflow = load_workflow(tree, target.workflow_path)
    if isinstance(workflow, Refusal) or not lacks_cell(tree, workflow, target.job):
        return ""
    return f"no cell of a matrix is called `{target.job}` at this commit: all cells of the job were looked at"


def further_place(failure: Failure, trees: Trees) -> Place | None:
    """The program that the log names, where the workflow is known but does not lead to it. None: it names none, or was
    followed at once."""
    if not failure.workflow_path or _of_another_service(failure.workflow_path, trees):
        return None
    found = program_of(trees.head, target_of(failure), failure.diagnosis.trail, failure.id)
    return None if isinstance(found, Refusal) else _placed(found, target_of(failure), trees)


def _placed(found: Whereabouts | Refusal, target: Target, trees: Trees) -> Place:
    if isinstance(found, Refusal):
        return Place(target, trees.tested, trees.head, str(found))
    tested, head = (laid_over(tree, found.files) for tree in (trees.tested, trees.head))
    return Place(found.target, tested, head, found.note, found.files)


def laid_over(tree: Tree, files: Mapping[str, bytes]) -> Tree:
    return Overlay(tree, files) if files else tree


def target_of(failure: Failure) -> Target:
    """Where in the repository the failure lies: its workflow, job and step."""
    found = failure.diagnosis
    shown = found.announced
    labels, environment = found.job.labels, shown.environment
    typed = () if found.step else next((one.script for one in reversed(found.trail.announced)), ())
    earlier = found.trail.earlier(shown)
    return Target(failure.workflow_path, found.job.name, found.step, labels, shown.script, environment, typed, earlier)
