"""`copy_input`: an input that the action demands and the step lacks, as the other uses of the action give it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.permissions import OF_STRANGERS
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entry
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Expectation
from triage.model.recipe import CopyInput

# What another job, or another step, may not have.
_OWN = re.compile(r"\b(?:steps|needs|matrix|inputs|env|job|strategy)\b")
# What the run's event alone has.
_OF_EVENT = re.compile(r"\bgithub\.(?:event\b|head_ref|base_ref)|\bgithub\s*\[")
_SECRET = re.compile(r"\bsecrets\b|github\.token\b")
# What tells one step from another that uses the same action.
_OF_STEP = re.compile(r"key|name|paths?|files?|script|args|commands?|run|tags?|title|body|labels?|images?|id")


def copy_input(recipe: CopyInput, here: Situation) -> Outcome:
    name, step = here.captures.get(recipe.input.strip("{}"), ""), here.step
    if step is None or not step.uses or step.path != here.target.workflow_path or not name:
        return Refusal("the log names no input of a step that is known", here.job.path)
    if child(step.node, "with", name) is not None:
        return InPlace(f"{step.path}:{step.line} gives `{name}`")
    given = list(_given(here, step, name))
    written = {one for _, one in given}
    if len(written) != 1:
        return Refusal(
            f"{len(written)} values of `{name}` are given to {_action(step)} elsewhere", step.path, step.line
        )
    (first, value) = given[0]
    if value is None:
        return Refusal(f"`{name}` is no text on one line", first.path, first.line)
    if _OWN.search(value):
        return Refusal(f"`{name}` is made of what only its own job has", first.path, first.line)
    if _OF_EVENT.search(value) and first.path != step.path:
        return Refusal(f"`{name}` is made of the event that sets off {first.path}", first.path, first.line)
    if _SECRET.search(value) and (strangers := sorted(here.job.workflow.triggers & OF_STRANGERS)):
        return Refusal(f"strangers set off {step.path} by `{strangers[0]}`: `{name}` is a secret", step.path, step.line)
    edits = add_entry(here.job.document, step.node, "with", name, value, why=f"as in {first.path}:{first.line}")
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].with"
    text = text_of(child(first.node, "with", name))
    promise = Expectation("value", f"{place}.{name}={text}", here.target.job, here.job.path)
    declared = place if child(step.node, "with") is None else f"{place}.{name}"
    made = Edited(edits, (f"{here.job.path}:{declared}",), (promise,))
    return replace(made, title=f"Give {_action(step)} its `{name}`, as in {first.path}")


def _given(here: Situation, step: Step, name: str) -> Iterator[tuple[Step, str | None]]:
    """The other steps that use the action, with the input as it is written; None where that is no text on one line."""
    action = _action(step)
    jobs = [here.job, *sibling_jobs(here, action.encode())]
    for one in (other for job in jobs for other in job.steps if _action(other) == action):
        node = child(one.node, "with", name)
        if (one.path, one.line) != (step.path, step.line) and node is not None and _alike(step, one, name):
            start, end = one.document.start(node), one.document.end(node)
            plain = isinstance(node, yaml.ScalarNode) and b"\n" not in one.document.data[start:end]
            yield one, one.document.data[start:end].decode("utf-8", "replace") if plain else None


def _alike(step: Step, other: Step, name: str) -> bool:
    """Whether the two do the same, so far as both say it, where the input is one by which steps differ."""
    if not _OF_STEP.fullmatch(name):
        return True
    own, their = ({key: text_of(node) for key, _, node in entries(child(one.node, "with"))} for one in (step, other))
    return bool(own) and all(their.get(key) == value for key, value in own.items())


def _action(step: Step) -> str:
    return step.uses.partition("@")[0]
