"""Which mechanics belong to the recipes about what a command stands on."""

from __future__ import annotations

from triage.fixes.recipes.builds.arch_lists import arch_list, force_build
from triage.fixes.recipes.builds.built_image import built_image
from triage.fixes.recipes.builds.foundations import copy_mount, devel_base
from triage.fixes.recipes.commands.addresses import secure_address
from triage.fixes.recipes.commands.as_root import as_root
from triage.fixes.recipes.dependencies.indexes import extra_index
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.foundations import (
    ArchList,
    AsRoot,
    BuiltImage,
    CopyMount,
    DevelBase,
    ExtraIndex,
    ForceBuild,
    OfFoundations,
    SecureAddress,
)
from triage.model.mending import MendCommand
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, FixWhitespace, Recipe, RepairCondition, RepairLine, SetUpLanguage


def only_where_it_fits(recipe: Recipe, state: PatchState) -> bool:
    """Whether a refusal says nothing to a reader: the rung is about something that most failures have nothing of."""
    if isinstance(recipe, FixWhitespace | RepairLine | RepairCondition | SetUpLanguage):
        return state is PatchState.REFUSED
    if isinstance(recipe, AsRoot) and recipe.program:
        return state is PatchState.REFUSED
    if isinstance(recipe, MendCommand):
        return recipe.fault in ("no-gpus", "submodules", "upgrade")
    return isinstance(recipe, CopyMount) or (isinstance(recipe, EffectiveValue) and recipe.as_alike)


def of_foundations(recipe: OfFoundations, here: Situation) -> Outcome:
    match recipe:
        case ArchList():
            return arch_list(here)
        case AsRoot():
            return as_root(recipe, here)
        case BuiltImage():
            return built_image(recipe, here)
        case CopyMount():
            return copy_mount(here)
        case DevelBase():
            return devel_base(here)
        case ExtraIndex():
            return extra_index(recipe, here)
        case ForceBuild():
            return force_build(recipe, here)
        case SecureAddress():
            return secure_address(recipe, here)
