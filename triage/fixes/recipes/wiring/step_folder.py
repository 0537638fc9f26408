"""A step above the folder that the repository is checked out to, whose command works inside of one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from triage.fixes.recipes.outcome import Edited
from triage.fixes.recipes.situation import Situation
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import insert_before
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Expectation

_ACTION = "actions/checkout@"
_FOLDER = re.compile(r"(?:\./)?[A-Za-z0-9_][\w.-]*/?\Z")
_COMMAND = re.compile(r"(?m)^[ \t]*(git|gh)[ \t]+([a-z]+)\b")
_MOVES = re.compile(r"(?m)\b(?:cd|pushd)[ \t]|\bgit[ \t]+(?:-C|clone|init)\b|--(?:repo|git-dir)\b|(?<!\S)-R\b")


def in_the_checkout(here: Situation) -> Edited | None:
    """The failed step runs where its likes of the job do, or in the one folder that holds a checkout; None where
    something was checked out to where it runs, or nothing says which folder is meant."""
    step = here.step
    if step is None or step.run is None or step.path != here.job.path or step.working_directory is not None:
        return None
    commands = set(_COMMAND.findall(step.run.value))
    if here.job.working_directory is not None or not commands or _MOVES.search(step.run.value):
        return None
    held = [one for one in here.job.steps if one.index < step.index and one.uses.startswith(_ACTION)]
    folders = {text_of(child(one.node, "with", "path")) for one in held}
    if not held or "" in folders or not all(_FOLDER.match(one) for one in folders):
        return None
    chosen = _of_likes(here.job.steps, step, commands) or folders
    if len(chosen) != 1 or _bare(next(iter(chosen))) not in map(_bare, folders):
        return None
    return _moved(here, step, chosen.pop())


def _bare(folder: str) -> str:
    return folder.removeprefix("./").rstrip("/")


def _of_likes(steps: Iterable[Step], failed: Step, commands: set[tuple[str, str]]) -> set[str]:
    """Where the other steps run that give one of these commands."""
    likes = [one for one in steps if one.run is not None and one.index != failed.index]
    alike = [one for one in likes if one.run is not None and commands & set(_COMMAND.findall(one.run.value))]
    return {one.working_directory.value for one in alike if one.working_directory is not None}


def _moved(here: Situation, step: Step, folder: str) -> Edited | None:
    key = next((key for key, _ in getattr(step.node, "value", ()) if text_of(key) == "run"), None)
    if key is None or step.node.flow_style or id(step.node) in here.job.document.aliased:
        return None
    document, column = here.job.document, key.start_mark.column
    if document.data[document.start(key) - column : document.start(key)].strip():
        return None  # the step begins with it
    why = f"the repository is checked out to {_bare(folder)}, and the step runs above it"
    edits = insert_before(document, key, [f"working-directory: {folder}"], column, why=why)
    place = f"{here.place}.steps[{step.index}].working-directory"
    promise = Expectation("value", f"{place}={folder}", here.target.job, here.job.path)
    because = "It works on the repository, which is checked out to a folder of its own."
    title = f"Run `{step.name}` in {_bare(folder)}"
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), title=title, because=because)
