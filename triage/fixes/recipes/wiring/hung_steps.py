"""`limit_step`: a step that only installs and held its machine for the six hours that GitHub allows a job."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.failing import may_fail
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.systems import INSTALLERS
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.gitlab import minutes
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import Edits, insert_before, set_key
from triage.fixes.yaml.nodes import child
from triage.model.patch import Expectation
from triage.model.recipe import LimitStep

# What GitHub allows a job that names no limit, in minutes.
_OF_GITHUB = 360
_KEY = "timeout-minutes"
_VERBS = ("install", "sync", "update", "upgrade", "add", "create")


def limit_step(recipe: LimitStep, here: Situation) -> Outcome:
    step = here.step
    if step is None or step.run is None:
        return Refusal("the failed step is not known, or runs an action", here.job.path, here.job.line)
    held = child(step.node, _KEY)
    if held is not None:
        said = f"{_KEY} of `{step.name}` stands already"
        return InPlace(said) if recipe.settled else Refusal(said, here.job.path, step.line)
    if minutes(here.captures.get("limit", "")) != _OF_GITHUB:
        return Refusal("the log does not say that GitHub's own six hours were over")
    if not _installs(here):
        return Refusal(f"`{step.name}` does more than to install: it may need the time", here.job.path, step.line)
    value = _usual(here, step) or recipe.to
    edits = _added(here, step, value)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].{_KEY}"
    promise = Expectation("value", f"{place}={value}", here.target.job, here.job.path)
    settled = LimitStep(to=value, settled=True)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), settled=settled)


def _installs(here: Situation) -> bool:
    """Whether the last command that the log shows is an install, else whether the step runs nothing but installs."""
    if here.facts.traced:
        return _is_install(here.facts.traced[-1].split())
    ran = may_fail(here.concerned)
    return bool(ran) and all(_is_install([word.text or "" for word in one.program]) for one in ran)


def _is_install(words: list[str]) -> bool:
    program = posixpath.basename(words[0]) if words else ""
    if program.startswith("python"):
        return verb_at(words, "install") > 0
    return program in INSTALLERS and any(word in _VERBS for word in words[1:4])


def _usual(here: Situation, step: Step) -> str:
    """What most steps of this name in other jobs have."""
    counted = Counter(_limits(here, step.name)).most_common(1)
    return counted[0][0] if counted else ""


def _limits(here: Situation, name: str) -> Iterator[str]:
    for job in sibling_jobs(here, _KEY.encode()):
        for step in job.steps:
            node = child(step.node, _KEY)
            if step.name == name and isinstance(node, yaml.ScalarNode) and decimal(node.value) is not None:
                yield node.value


def _added(here: Situation, step: Step, value: str) -> Edits | Refusal:
    """Above the script, where that is not what the step begins with."""
    why = f"`{step.name}` hung until the {_OF_GITHUB} minutes of the whole job were over"
    if step.node.flow_style:
        return Refusal("the step is written on one line", here.job.path, step.line)
    names = [name for name, _ in step.node.value]
    at = next((at for at, name in enumerate(names) if isinstance(name, yaml.ScalarNode) and name.value == "run"), 0)
    if at == 0:
        return set_key(step.document, step.node, _KEY, value, why=why)
    return insert_before(step.document, names[at], [f"{_KEY}: {value}"], names[0].start_mark.column, why=why)
