"""`timeout`: raise the limit of the job or of the failed step, within a cap, and the outer one with it."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child
from triage.model.patch import Expectation
from triage.model.recipe import Timeout

_ROUND = 5
# GitHub's own limit for a job that names none, and the most that its hosted runners allow.
DEFAULT_MINUTES = 360


def raise_timeout(recipe: Timeout, here: Situation) -> Outcome:
    step = here.step
    inner = child(step.node, "timeout-minutes") if step is not None else None
    outer = here.job.timeout_minutes
    if recipe.level == "step":
        if step is None or not isinstance(inner, yaml.ScalarNode):
            return Refusal("the failed step has no timeout-minutes of its own", here.job.path, here.job.line)
        place = f"{here.place}.steps[{step.index}].timeout-minutes"
        raised = _raised(recipe, here, inner, place)
        return _outer_too(here, raised, inner, outer, recipe)
    if outer is None:
        return Refusal(f"{here.job.id} has no timeout-minutes: GitHub's own {DEFAULT_MINUTES} minutes apply")
    return _raised(recipe, here, outer, f"{here.place}.timeout-minutes")


def _raised(recipe: Timeout, here: Situation, node: yaml.ScalarNode, place: str) -> Outcome:
    old, factor = decimal(node.value), decimal(recipe.factor)
    if old is None or factor is None:
        return Refusal(
            f"timeout-minutes is `{node.value}`, which is no number", here.job.path, node.start_mark.line + 1
        )
    if old >= recipe.at_most_minutes:
        return InPlace(f"timeout-minutes is {node.value} already, the most that is allowed is {recipe.at_most_minutes}")
    wanted = min(rounded(old * factor), recipe.at_most_minutes)
    made = _set(here, node, place, str(wanted))
    return replace(made, settled=replace(recipe, at_most_minutes=wanted)) if isinstance(made, Edited) else made


def _set(here: Situation, node: yaml.ScalarNode, place: str, value: str) -> Outcome:
    edits = replace_scalar(here.job.document, node, value, why=f"{node.value} minutes were not enough")
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={value}", here.target.job, here.job.path)
    cost = f"a hang now holds the runner for up to {value} minutes instead of {node.value}"
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), costs=(cost,))


def _outer_too(
    here: Situation, raised: Outcome, inner: yaml.ScalarNode, outer: yaml.ScalarNode | None, recipe: Timeout
) -> Outcome:
    """A step that may take longer than its job changes nothing."""
    old, limit = decimal(inner.value), decimal(outer.value) if outer is not None else Decimal(DEFAULT_MINUTES)
    if not isinstance(raised, Edited) or old is None or limit is None or outer is None:
        return raised
    new = decimal(raised.edits[-1].new.decode()) or old
    if new <= limit:
        return raised
    wider = min(rounded(limit + new - old), recipe.at_most_minutes)
    whole = together([raised, _set(here, outer, f"{here.place}.timeout-minutes", str(wider))])
    return replace(whole, settled=raised.settled) if isinstance(whole, Edited) else whole


def rounded(minutes: Decimal) -> int:
    """Up to the next five minutes."""
    return int((minutes / _ROUND).to_integral_value(rounding=ROUND_CEILING)) * _ROUND
