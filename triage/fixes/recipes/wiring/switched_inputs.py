"""`set_input`: one input of a step that uses an action."""

from __future__ import annotations

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.setting import is_literal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import Edits, add_entry, replace_scalar
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import SetInput


def set_input(recipe: SetInput, here: Situation) -> Outcome:
    step = _step_of(here, recipe.action)
    if isinstance(step, Refusal):
        return step
    node = child(step.node, "with", recipe.name)
    held = text_of(node)
    if held.lower() == recipe.to.lower():
        return InPlace(f"{recipe.name} of {step.uses} is {held}")
    if node is None and not recipe.from_value and step.path == here.job.path:
        return _given(recipe, here, step)
    if not isinstance(node, yaml.ScalarNode) or (recipe.from_value and held.lower() != recipe.from_value.lower()):
        return Refusal(f"{recipe.name} of {step.uses} is {held or 'not set'}", here.job.path, step.line)
    why = f"{step.uses} fails the job for {recipe.name}"
    if not node.style and is_literal(recipe.to):  # quotes would make a text of it
        start, end = step.document.start(node), step.document.end(node)
        edits: Edits | Refusal = (Edit(step.document.path, start, end, recipe.to.encode(), why),)
    else:
        edits = replace_scalar(step.document, node, recipe.to, why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].with.{recipe.name}"
    promise = Expectation("value", f"{place}={recipe.to}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,))


def _given(recipe: SetInput, here: Situation, step: Step) -> Outcome:
    """The input of a step that leaves it at its default."""
    why = f"{step.uses} fails the job without {recipe.name}"
    edits = add_entry(here.job.document, step.node, "with", recipe.name, recipe.to, why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].with"
    declared = place if child(step.node, "with") is None else f"{place}.{recipe.name}"
    promise = Expectation("value", f"{place}.{recipe.name}={recipe.to}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{declared}",), (promise,))


def _step_of(here: Situation, action: str) -> Step | Refusal:
    own = [here.step] if here.step is not None and _uses(here.step, action) else []
    found = own or [step for step in here.job.steps if _uses(step, action)]
    if len(found) == 1:
        return found[0]
    said = "several steps use" if found else "no step uses"
    return Refusal(f"{said} {action}", here.job.path, here.job.line)


def _uses(step: Step, action: str) -> bool:
    return step.uses.partition("@")[0] == action
