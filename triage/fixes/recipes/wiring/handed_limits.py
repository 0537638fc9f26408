"""`timeout` of a job that a workflow elsewhere runs by that workflow's own limit: this one hands it a longer one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.gitlab import minutes
from triage.fixes.recipes.wiring.limits import OF_CALL, rounded
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import child, entries
from triage.model.patch import Expectation
from triage.model.recipe import Timeout

# The input by which workflows that run a script take the limit of its job, in minutes.
_INPUT = "timeout"


def hand_limit(recipe: Timeout, here: Situation) -> Outcome | None:
    """None where the job is handed a limit already, is no such job, or the log names no limit of a job."""
    if not here.job.hands_script or here.captures.get("step"):
        return None
    if any(OF_CALL.fullmatch(name) for name, _, _ in entries(child(here.job.node, "with"))):
        return None
    ended = minutes(here.captures.get("limit", ""))
    if ended is None or ended <= 0:
        return None
    most = Decimal(max(recipe.at_most_minutes, int(ended)))
    wanted = min(rounded(ended * Decimal(recipe.factor)), most)
    if wanted <= ended:
        return None
    value = f"{wanted.normalize():f}"
    why = f"{here.job.uses.partition('@')[0]} allows {ended.normalize():f} minutes where nothing else is handed to it"
    edits = add_entries(here.job.document, here.job.node, "with", [(_INPUT, value)], why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.with.{_INPUT}"
    promise = Expectation("value", f"{place}={value}", here.target.job, here.job.path)
    cost = f"a hang now holds the runner for up to {value} minutes instead of {ended.normalize():f}"
    settled = replace(recipe, settled=f"{_INPUT} {value} of the job in {here.job.path}")
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), costs=(cost,), settled=settled)
