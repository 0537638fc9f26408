"""Which mechanics belong to which recipe about wiring."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.actions import move_action
from triage.fixes.recipes.wiring.artifacts import match_artifact
from triage.fixes.recipes.wiring.checkouts import copy_checkout
from triage.fixes.recipes.wiring.collecting import let_fail
from triage.fixes.recipes.wiring.defaults import default_input
from triage.fixes.recipes.wiring.downloads import copy_command
from triage.fixes.recipes.wiring.environment import remove_variable, set_variable
from triage.fixes.recipes.wiring.events import guard_event
from triage.fixes.recipes.wiring.exact_versions import widen_version
from triage.fixes.recipes.wiring.groups import repair_group
from triage.fixes.recipes.wiring.guards import copy_guard
from triage.fixes.recipes.wiring.hung_steps import limit_step
from triage.fixes.recipes.wiring.images_of_runners import pin_runner
from triage.fixes.recipes.wiring.inputs import cache_files, drop_ref, rename_input
from triage.fixes.recipes.wiring.keys import set_key
from triage.fixes.recipes.wiring.labels import copy_label
from triage.fixes.recipes.wiring.languages import set_up_language
from triage.fixes.recipes.wiring.login_conditions import repair_condition
from triage.fixes.recipes.wiring.numbered import number_variable
from triage.fixes.recipes.wiring.permissions import grant_permission
from triage.fixes.recipes.wiring.publishing import publish_guard
from triage.fixes.recipes.wiring.references import repair_reference
from triage.fixes.recipes.wiring.runners import copy_runner
from triage.fixes.recipes.wiring.sibling_env import copy_env
from triage.fixes.recipes.wiring.sibling_inputs import copy_input
from triage.fixes.recipes.wiring.steps import add_step
from triage.fixes.recipes.wiring.switched_inputs import set_input
from triage.fixes.recipes.wiring.tag_rules import repair_tag_rule
from triage.fixes.recipes.wiring.timeout import raise_timeout
from triage.fixes.recipes.wiring.trusted import trusted_release
from triage.model.recipe import (
    AddStep,
    CacheFiles,
    CopyCheckout,
    CopyCommand,
    CopyEnv,
    CopyGuard,
    CopyInput,
    CopyLabel,
    CopyRunner,
    DefaultInput,
    DropRef,
    EventGuard,
    GrantPermission,
    LetFail,
    LimitStep,
    MatchArtifact,
    MoveAction,
    NumberVariable,
    OfSiblings,
    OfWiring,
    PinRunner,
    PublishGuard,
    RemoveEnv,
    RenameInput,
    RepairCondition,
    RepairGroup,
    RepairReference,
    RepairTagRule,
    SetEnv,
    SetInput,
    SetKey,
    SetUpLanguage,
    Timeout,
    TrustedRelease,
    WidenVersion,
)


def of_wiring(recipe: OfWiring | OfSiblings, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case AddStep():
            return add_step(recipe, here)
        case CacheFiles():
            return cache_files(recipe, here)
        case CopyCheckout():
            return copy_checkout(recipe, here)
        case CopyCommand():
            return copy_command(recipe, here)
        case CopyEnv():
            return copy_env(recipe, here)
        case CopyGuard():
            return copy_guard(recipe, here)
        case CopyInput():
            return copy_input(recipe, here)
        case CopyLabel():
            return copy_label(recipe, here)
        case CopyRunner():
            return copy_runner(recipe, here)
        case DefaultInput():
            return default_input(recipe, here)
        case DropRef():
            return drop_ref(recipe, here)
        case EventGuard():
            return guard_event(recipe, here)
        case GrantPermission():
            return grant_permission(recipe, here)
        case LetFail():
            return let_fail(recipe, here)
        case LimitStep():
            return limit_step(recipe, here)
        case MatchArtifact():
            return match_artifact(recipe, here)
        case MoveAction():
            return move_action(recipe, here)
        case NumberVariable():
            return number_variable(recipe, here)
        case PinRunner():
            return pin_runner(recipe, here)
        case PublishGuard():
            return publish_guard(recipe, here)
        case RemoveEnv():
            return remove_variable(recipe, here)
        case RenameInput():
            return rename_input(recipe, here)
        case RepairCondition():
            return repair_condition(recipe, here)
        case RepairGroup():
            return repair_group(recipe, here)
        case RepairReference():
            return repair_reference(recipe, here)
        case RepairTagRule():
            return repair_tag_rule(recipe, here)
        case SetEnv():
            return set_variable(recipe, here)
        case SetInput():
            return set_input(recipe, here)
        case SetKey():
            return set_key(recipe, here)
        case SetUpLanguage():
            return set_up_language(recipe, here)
        case Timeout():
            return raise_timeout(recipe, here)
        case TrustedRelease():
            return trusted_release(recipe, here)
        case WidenVersion():
            return widen_version(recipe, here)
