"""A path that is right inside of the checkout, in a step that runs one folder above it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Edit

# `${NAME}` as a word of its own.
_WORD = re.compile(r"(?<=[ \t])\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<plain>[A-Za-z_]\w*))(?=[ \t\n]|\Z)")
_MOVES = re.compile(r"(?m)^[ \t]*(?:cd|pushd)\b")


def under_the_checkout(missing: str, here: Situation) -> Outcome:
    """The variable that steps inside of the folder pass as it is, and that the failed step passes so too, while it puts
    the folder before its other paths. Only one variable can be meant."""
    nothing = Refusal(f"no command of {here.job.id} names {missing}", here.job.path, here.job.line)
    if missing.startswith(("/", "..", "~")) or here.job.working_directory is not None:
        return nothing
    steps = (here.step,) if here.step is not None else here.job.steps
    meant = [(step, *one) for step in steps for one in _meant(here, step)]
    return _prefixed(here, *meant[0]) if len(meant) == 1 else nothing


def _meant(here: Situation, step: Step) -> list[tuple[str, str]]:
    """Folders and variables: none for a step that runs in a folder itself."""
    if step.run is None or step.path != here.job.path or step.working_directory is not None:
        return []
    if _MOVES.search(step.run.value):
        return []
    used = {name for name, _, _ in _bare(step.run.value)}
    return sorted({one for one in _inside(here, step) if one[1] in used and _puts_before(step, one[0])})


def _prefixed(here: Situation, step: Step, folder: str, name: str) -> Outcome:
    edits: list[Edit] = []
    node = step.run
    for own, start, end in _bare(node.value) if node is not None else ():
        if own == name and node is not None:
            text = f'"{_spelled(here, step, folder)}/{node.value[start:end]}"'
            why = f"the step runs above {folder}, where {name} is a path of it"
            made = splice_scalar(here.job.document, node, start, end, text, why=why)
            if isinstance(made, Refusal):
                return made
            edits += made
    declared = (declared_at(here, here.job.path, step.index),)
    title = f"Put {folder} before {name} in the step `{step.name}`"
    return Edited(tuple(edits), declared, promised(here, edits), title=title)


def _spelled(here: Situation, step: Step, folder: str) -> str:
    """An expression through the variable that holds it, where there is one: what a shell reads is no template then."""
    layers = (step.node, here.job.node, here.job.workflow.node)
    held = [name for layer in layers for name, _, node in entries(child(layer, "env")) if text_of(node) == folder]
    return f"${{{held[0]}}}" if held and "${{" in folder else folder


def _inside(here: Situation, failed: Step) -> Iterator[tuple[str, str]]:
    """Folder and variable of every other step that runs in a folder and passes the variable as it is."""
    for step in here.job.steps:
        node = step.working_directory
        if step.index != failed.index and node is not None and step.run is not None:
            yield from ((node.value.rstrip("/"), name) for name, _, _ in _bare(step.run.value))


def _puts_before(step: Step, folder: str) -> bool:
    """Whether the step names another path below the folder."""
    text = step.run.value if step.run is not None else ""
    return bool(folder) and re.search(re.escape(folder) + r"\"?/[\w$]", text) is not None


def _bare(script: str) -> Iterator[tuple[str, int, int]]:
    """Variables that are whole words behind the first one of a command, outside of quotes and tests."""
    at = 0
    for line in script.splitlines(keepends=True):
        command = line.strip()
        for hit in (
            _WORD.finditer(line) if not command.startswith(("if ", "elif ", "while ", "[", "#", "echo ")) else ()
        ):
            before = line[: hit.start()]
            if before.strip() and before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
                yield hit["braced"] or hit["plain"], at + hit.start(), at + hit.end()
        at += len(line)
