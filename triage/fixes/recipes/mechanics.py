"""Which mechanics belong to which recipe: the closed vocabulary, matched exhaustively."""

from __future__ import annotations

from triage.fixes.recipes.builds.mechanics import of_builds
from triage.fixes.recipes.commands.mechanics import of_commands
from triage.fixes.recipes.dependencies.mechanics import of_dependencies
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.overrides.mechanics import of_overrides
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.mechanics import of_wiring
from triage.fixes.refusal import Refusal
from triage.model.patch import PatchState
from triage.model.recipe import (
    AsRoot,
    CopyMount,
    EffectiveValue,
    FixWhitespace,
    Jobless,
    LetFail,
    LimitStep,
    MendCommand,
    OfBuilds,
    OfCommands,
    OfDependencies,
    OfOverrides,
    OfSurroundings,
    Recipe,
    RepairCondition,
    RepairLine,
    SetUpLanguage,
    SingleRecipe,
)


def in_job(recipe: SingleRecipe, here: Situation) -> Outcome:
    """What one recipe comes to in one job. The caller catches what an odd repository makes it raise."""
    if isinstance(recipe, Jobless):
        return Refusal("this recipe needs no job")
    if isinstance(recipe, OfBuilds):
        return of_builds(recipe, here)
    if isinstance(recipe, OfCommands | OfSurroundings):
        return of_commands(recipe, here)
    if isinstance(recipe, OfDependencies):
        return of_dependencies(recipe, here)
    if isinstance(recipe, OfOverrides):
        return of_overrides(recipe, here)
    return of_wiring(recipe, here)


def only_where_it_fits(recipe: Recipe, state: PatchState) -> bool:
    """Whether a refusal says nothing to a reader: the rung is about something that most failures have nothing of."""
    if isinstance(recipe, FixWhitespace | LetFail | LimitStep | RepairLine | RepairCondition | SetUpLanguage):
        return state is PatchState.REFUSED
    if isinstance(recipe, AsRoot) and recipe.program:
        return state is PatchState.REFUSED
    if isinstance(recipe, MendCommand):
        return recipe.fault in ("no-gpus", "submodules", "upgrade")
    return isinstance(recipe, CopyMount) or (isinstance(recipe, EffectiveValue) and recipe.as_alike)
