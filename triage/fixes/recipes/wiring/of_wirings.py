"""Which mechanics belong to the recipes about how the jobs of a workflow hang together."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.actions import move_action
from triage.fixes.recipes.wiring.artifacts import match_artifact
from triage.fixes.recipes.wiring.defaults import default_input
from triage.fixes.recipes.wiring.exact_versions import widen_version
from triage.fixes.recipes.wiring.groups import repair_group
from triage.fixes.recipes.wiring.images_of_runners import pin_runner
from triage.fixes.recipes.wiring.inputs import cache_files, drop_ref, rename_input
from triage.fixes.recipes.wiring.labels import copy_label
from triage.fixes.recipes.wiring.languages import set_up_language
from triage.fixes.recipes.wiring.login_conditions import repair_condition
from triage.fixes.recipes.wiring.publishing import publish_guard
from triage.fixes.recipes.wiring.tag_rules import repair_tag_rule
from triage.model.recipe import CopyLabel, PublishGuard, WidenVersion
from triage.model.wirings import (
    CacheFiles,
    DefaultInput,
    DropRef,
    MatchArtifact,
    MoveAction,
    OfWirings,
    PinRunner,
    RenameInput,
    RepairCondition,
    RepairGroup,
    RepairTagRule,
    SetUpLanguage,
)


def of_wirings(recipe: OfWirings | CopyLabel | PublishGuard | WidenVersion, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case CopyLabel():
            return copy_label(recipe, here)
        case PublishGuard():
            return publish_guard(recipe, here)
        case WidenVersion():
            return widen_version(recipe, here)
        case PinRunner():
            return pin_runner(recipe, here)
        case RepairCondition():
            return repair_condition(recipe, here)
        case RepairTagRule():
            return repair_tag_rule(recipe, here)
        case SetUpLanguage():
            return set_up_language(recipe, here)
        case CacheFiles():
            return cache_files(recipe, here)
        case DropRef():
            return drop_ref(recipe, here)
        case RenameInput():
            return rename_input(recipe, here)
        case DefaultInput():
            return default_input(recipe, here)
        case MatchArtifact():
            return match_artifact(recipe, here)
        case MoveAction():
            return move_action(recipe, here)
        case RepairGroup():
            return repair_group(recipe, here)
