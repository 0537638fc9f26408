"""Recipes that are worked out from files and log alone, before anything is asked of a job."""

from __future__ import annotations

from collections.abc import Mapping

from triage.fixes.recipes.advising import advise
from triage.fixes.recipes.builds.lacking_copy import copy_folder
from triage.fixes.recipes.builds.mend_file import mend_file
from triage.fixes.recipes.commands.climbing import climb_otherwise
from triage.fixes.recipes.commands.copies import may_be_copied
from triage.fixes.recipes.commands.definition_env import set_in_definition
from triage.fixes.recipes.commands.listed import of_caller
from triage.fixes.recipes.commands.listed_items import drop_item
from triage.fixes.recipes.commands.said.line import repair_line
from triage.fixes.recipes.commands.sourced import enter_the_clone, told_from_own_folder
from triage.fixes.recipes.commands.stale_definitions import stale_in_definitions
from triage.fixes.recipes.commands.whitespace import fix_whitespace
from triage.fixes.recipes.dependencies.machines import mark_machine
from triage.fixes.recipes.dependencies.slips import repair_in_lists
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.overrides.hub_names import name_model
from triage.fixes.recipes.overrides.json_arguments import repair_json_of_scripts
from triage.fixes.recipes.overrides.targets import correct_target
from triage.fixes.recipes.overrides.types_of_values import fit_type
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.actions import move_where_used
from triage.fixes.recipes.wiring.azure import raise_azure_timeout
from triage.fixes.recipes.wiring.buildkite import raise_buildkite_timeout, raise_stated_limit
from triage.fixes.recipes.wiring.called_limits import raise_called_limit
from triage.fixes.recipes.wiring.gitlab import raise_gitlab_timeout
from triage.fixes.recipes.wiring.handing import hand_permission
from triage.fixes.recipes.wiring.refused_inputs import drop_refused
from triage.fixes.recipes.wiring.unquoted_versions import quote_version
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.recipe import (
    Advise,
    CorrectTarget,
    DropItem,
    FitType,
    FixWhitespace,
    GrantPermission,
    MarkMachine,
    MendFile,
    MoveAction,
    NameModel,
    QuoteVersion,
    Recipe,
    RepairJson,
    RepairLine,
    RepairRequirement,
    RepairWorkflow,
    SetEnv,
    Timeout,
)


def without_job(  # noqa: C901 - one case a recipe
    recipe: Recipe, tree: Tree, target: Target, here: Situation | Refusal, facts: Facts, captures: Mapping[str, str]
) -> Outcome | None:
    """None for the others."""
    match recipe:
        case Advise():
            return advise(recipe, tree, target, here, captures)
        case FitType():
            return fit_type(recipe, tree, target, here, facts, captures)
        case FixWhitespace():
            return fix_whitespace(recipe, tree, facts, captures)
        case CorrectTarget():
            return correct_target(recipe, tree, target, captures)
        case DropItem():
            return drop_item(recipe, tree, target, captures)
        case MoveAction() if isinstance(here, Refusal) and not target.workflow_path:
            return move_where_used(recipe, tree, target, facts, captures)
        case NameModel():
            return name_model(recipe, tree, target, captures)
        case MarkMachine():
            return mark_machine(recipe, tree, target, captures)
        case MendFile():
            return mend_file(recipe, tree, target, captures)
        case Timeout(level="gitlab"):
            return raise_gitlab_timeout(recipe, tree, target, captures)
        case Timeout(level="azure"):
            return raise_azure_timeout(recipe, tree, target, facts, captures)
        case Timeout(level="buildkite"):
            return raise_buildkite_timeout(recipe, tree, target, here, facts)
        case Timeout(level="job") if isinstance(here, Refusal):
            called = raise_called_limit(recipe, tree, target, captures)
            return called or raise_stated_limit(recipe, tree, target, here, facts, captures)
        case GrantPermission(access=access) if access:
            return hand_permission(recipe, tree, target, captures)
        case RepairLine():
            return repair_line(recipe, tree, target, here, facts, captures)
        case RepairJson() if isinstance(here, Refusal) and not target.workflow_path:
            return repair_json_of_scripts(recipe, tree, target, captures, facts.commands)
        case RepairRequirement() if isinstance(here, Refusal) and not target.workflow_path:
            return repair_in_lists(recipe, tree, target, captures)
        case RepairWorkflow(refused=refused, kind=kind) if refused:
            said = (captures.get(one.strip("{}"), "") for one in (kind, refused))
            return drop_refused(tree, target.workflow_path, *said)
        case RepairWorkflow():
            return _stale(recipe, tree, target, here, facts, captures)
        case QuoteVersion():
            return quote_version(recipe, tree, target, captures)
        case SetEnv() if isinstance(here, Refusal) or here.typed:
            return set_in_definition(recipe, tree, target, facts, captures)
        case _:
            return None


def _stale(
    recipe: RepairWorkflow,
    tree: Tree,
    target: Target,
    here: Situation | Refusal,
    facts: Facts,
    captures: Mapping[str, str],
) -> Outcome | None:
    """None where the job's own commands, or its workflow, say more."""
    missing = captures.get(recipe.path.strip("{}"), "")
    if recipe.copied and not may_be_copied(tree, missing):
        return Refusal(f"{missing} may be made by an earlier command")
    if missing and not recipe.file and not recipe.copied:
        told = told_from_own_folder(tree, target, captures.get("script", ""), missing)
        told = told or climb_otherwise(tree, target, missing, (*facts.commands, *target.typed))
        if (alone := told or enter_the_clone(tree, target, missing, image=facts.build is not None)) is not None:
            return alone
    calls = (isinstance(here, Refusal) or " / " in target.job) and not recipe.file
    called = of_caller(tree, target, missing) if calls else None
    made = called or stale_in_definitions(recipe, tree, target, here, facts, captures)
    unknown = not target.workflow_path if isinstance(here, Refusal) else here.typed
    if unknown and not isinstance(made, Edited) and not recipe.file:
        return copy_folder(tree, target, missing) or made
    return made
