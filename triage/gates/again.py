"""The gate against fixes that pile up: worked out again on the patched tree, the recipe finds nothing to do."""

from __future__ import annotations

from triage.fixes.prescription import redraft
from triage.fixes.recipes.outcome import Edited, InPlace, Words
from triage.fixes.refusal import Refusal
from triage.fixes.target import facts_of
from triage.gates.change import Change, failed, ok, skipped
from triage.model.patch import Gate

NAME = "a second application is empty"


def again(change: Change) -> Gate:
    if not change.draft.origins:
        return skipped(NAME, "the draft does not say what it was worked out from")
    for origin in change.draft.origins:
        same = (run for run in change.jobs if (run.workflow_path, run.job) == (origin.workflow_path, origin.job))
        log = facts_of(change.facts, change.target, origin.workflow_path, origin.job)
        facts = next((run.facts for run in same), log)
        outcome = redraft(origin, change.after, facts, change.tables, change.target.labels)
        if isinstance(outcome, Edited):
            return failed(
                NAME, f"applied to its own result, {origin.recipe.recipe} changes {outcome.edits[0].path} again"
            )
        if not isinstance(outcome, InPlace) and origin.recipe.recipe not in _REPAIRS:
            return failed(
                NAME, f"on its own result, {origin.recipe.recipe} does not see that it is in place: {_said(outcome)}"
            )
    return ok(NAME)


def _said(outcome: Words | Refusal) -> str:
    return outcome.text if isinstance(outcome, Words) else str(outcome)


# What is repaired is not "in place": there is nothing left to repair, which is a refusal.
_REPAIRS = (
    *("repair_workflow", "repair_build", "repair_line", "repair_script", "repair_reference"),
    *("match_artifact", "copy_checkout", "copy_input", "run_with_shell", "single_tag"),
)
