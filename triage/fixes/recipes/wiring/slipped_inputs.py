"""A folder that a step looks for, and that an earlier step was to fill under a name one slip of the hand apart."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.commands.homes import is_there
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import one_slip
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Expectation

# Inputs by which actions are told where to put what they bring.
_INPUTS = ("path", "dest", "destination", "output", "target", "dir", "directory", "folder")


def name_as_looked_for(here: Situation) -> Outcome:
    """The repository tells which name is meant: it has the first folder of the one, and not of the other."""
    missing = _plain(here.captures.get("path", ""))
    first = missing.partition("/")[0]
    if here.step is None or not missing or missing.startswith(("/", "..")) or not is_there(here.tree, first):
        return Refusal("the log names no folder below one of the repository's")
    found = [(step, name, node) for step in here.job.steps for name, node in _inputs(step, here.step.index)]
    if any(_plain(text_of(node)) == missing for _, _, node in found):
        return InPlace(f"an earlier step writes to {missing}")
    near = [one for one in found if _is_slip(here, _plain(text_of(one[2])), missing)]
    if len(near) != 1:
        return Refusal(f"{len(near)} earlier steps write to a folder that may be meant by {missing}")
    step, name, node = near[0]
    old = text_of(node)
    new = old.replace(_plain(old), missing)
    edits = replace_scalar(here.job.document, node, new, why=f"later steps look for {missing}")
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].with.{name}"
    promise = Expectation("value", f"{place}={new}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), title=f"Write to {missing}")


def _plain(path: str) -> str:
    return posixpath.normpath(path) if path else ""


def _inputs(step: Step, last: int) -> Iterator[tuple[str, yaml.ScalarNode]]:
    for name, _, node in entries(child(step.node, "with")) if step.index < last and step.uses else ():
        if name in _INPUTS and isinstance(node, yaml.ScalarNode) and "${{" not in node.value and node.value:
            yield name, node


def _is_slip(here: Situation, path: str, missing: str) -> bool:
    parts, meant = path.split("/"), missing.split("/")
    apart = [(one, two) for one, two in zip(parts, meant, strict=False) if one != two]
    return (
        len(parts) == len(meant)
        and len(apart) == 1
        and bool(one_slip(apart[0][0], [apart[0][1]]))
        and not is_there(here.tree, path.partition("/")[0] if parts[0] != meant[0] else path)
    )
