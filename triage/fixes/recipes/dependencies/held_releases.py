"""Which mechanics belong to the recipes about the release of what the code calls, and of what checks it."""

from __future__ import annotations

from triage.fixes.recipes.dependencies.calling import hold_called
from triage.fixes.recipes.dependencies.hook_revisions import hook_revision
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.recipe import HoldCalled, HookRevision


def of_releases(recipe: HoldCalled | HookRevision, here: Situation) -> Outcome:
    match recipe:
        case HoldCalled():
            return hold_called(recipe, here)
        case HookRevision():
            return hook_revision(recipe, here)
