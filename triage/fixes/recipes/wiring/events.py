"""`event_guard`: what asks for the pull request of a run that has none."""

from __future__ import annotations

import re

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import insert_before
from triage.fixes.yaml.nodes import child, items, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import EventGuard

_EVENTS = ("pull_request", "pull_request_target")
_OF_EVENT = re.compile(r"github\.event_name|github\.event\.(?:pull_request|number|issue)\b")
# `if: github.event_name != 'pull_request'` of a step that says so and ends: it ends itself, not the job.
_OTHER = re.compile(r"(?:\$\{\{ *)?github\.event_name *!= *'(pull_request(?:_target)?)'(?: *\}\})?\Z")
_ASKS = re.compile(r"context\.issue|pull_request|pull_number|issue_number")
_SETS = re.compile(r"GITHUB_(?:ENV|PATH)\b|core\.exportVariable")
_ENDS = re.compile(r"exit(?: 0)?\Z")


def guard_event(recipe: EventGuard, here: Situation) -> Outcome:
    del recipe
    alike = _alike(here)
    if not alike:
        return Refusal("the failed step is not known, or stands in an action", here.job.path, here.job.line)
    step = alike[0]
    standing = next((one for one in (step.condition, here.job.condition) if _OF_EVENT.search(one)), "")
    if standing:
        return InPlace(f"`{standing}` says already in which runs it is")
    of_job = _meant_for_job(here, step)
    events = [one for one in _EVENTS if one in here.job.workflow.triggers]
    wanted = f"github.event_name == '{of_job or (events[0] if events else _EVENTS[0])}'"
    if len(events) > 1 and not of_job:
        wanted = "startsWith(github.event_name, 'pull_request')"
    if of_job and not here.job.condition:
        return _conditioned(here, None, wanted)
    where = ", ".join(f"{one.path}:{one.line}" for one in alike)
    if not of_job and not events and "workflow_call" not in here.job.workflow.triggers:
        told = ", ".join(sorted(here.job.workflow.triggers))
        return Words(f"the step at {where} asks for a pull request, and the events of the file ({told}) bring none")
    if of_job or step.condition or not events or len(alike) > 1 or _is_read(here, step):
        return Words(
            f"give the step at {where}, or {here.job.id} where the steps behind need what it finds, `if: {wanted}`"
        )
    return _conditioned(here, step, wanted)


def _alike(here: Situation) -> list[Step]:
    """The failed step; where its header fits several, these."""
    if here.step is not None:
        return [here.step] if here.step.path == here.job.path else []
    headed = [one for one in here.job.steps if one.uses and here.target.step == f"Run {one.uses}"]
    return [one for one in headed if _ASKS.search(text_of(child(one.node, "with", "script")))]


def _meant_for_job(here: Situation, step: Step) -> str:
    """The event without which an earlier step of the job believes to end it; "" for none."""
    for one in here.job.steps[: step.index]:
        found = _OTHER.match(one.condition.strip())
        if found and one.script and _ENDS.match(one.script[-1]):
            return found[1]
    return ""


def _is_read(here: Situation, step: Step) -> bool:
    """Whether anything asks for what the step finds, or may: what it sets for the steps behind."""
    if any(_SETS.search(line) for line in step.script):
        return True
    asked = rf"\bsteps(?:\.{re.escape(step.id)}\b|\[ *'{re.escape(step.id)}')"
    return bool(step.id) and re.search(asked, here.job.document.data.decode("utf-8", "replace")) is not None


def _conditioned(here: Situation, step: Step | None, condition: str) -> Outcome:
    owner = here.job.node if step is None else step.node
    keys = [key for key, _ in owner.value]
    if owner.flow_style or (step is not None and len(keys) < 2):
        return Refusal("it takes no further line", here.job.path, here.job.line)
    why = "it asks for the run's pull request, and a run of another event has none"
    if step is None:
        edits: tuple[Edit, ...] = insert_before(
            here.job.document, keys[0], [f"if: {condition}"], keys[0].start_mark.column, why=why
        )
    else:
        edits = insert_before(here.job.document, keys[1], [f"if: {condition}"], keys[0].start_mark.column, why=why)
    place = f"{here.place}.if" if step is None else f"{here.place}.steps[{step.index}].if"
    promise = Expectation("value", f"{place}={condition}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{place}",), (promise,))
    return made if step is not None else made.noting(*_skipped(here))


def _skipped(here: Situation) -> list[str]:
    needing = [
        one
        for one in here.job.workflow.job_ids
        if here.job.id in [text_of(each) for each in items(child(here.job.workflow.job_node(one), "needs"))]
    ]
    called = ["the jobs that need a call of this workflow"] if "workflow_call" in here.job.workflow.triggers else []
    return (
        [f"{', '.join([*needing, *called])}: skipped with it, unless their `if:` says otherwise"]
        if needing or called
        else []
    )
