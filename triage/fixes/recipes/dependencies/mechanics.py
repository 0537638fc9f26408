"""Which mechanics belong to which recipe about dependencies."""

from __future__ import annotations

from triage.fixes.recipes.dependencies.asking_newest import ask_for_newest
from triage.fixes.recipes.dependencies.blamed import hold_moved
from triage.fixes.recipes.dependencies.build_requires import build_requires
from triage.fixes.recipes.dependencies.calling import hold_called
from triage.fixes.recipes.dependencies.deepening import deep_clone
from triage.fixes.recipes.dependencies.fitting_pythons import fit_python
from triage.fixes.recipes.dependencies.guarded import behind_guard
from triage.fixes.recipes.dependencies.hold_build import hold_build
from triage.fixes.recipes.dependencies.hold_replaced import hold_replaced
from triage.fixes.recipes.dependencies.hook_dependencies import hook_dependency
from triage.fixes.recipes.dependencies.hook_revisions import hook_revision
from triage.fixes.recipes.dependencies.indexes import extra_index
from triage.fixes.recipes.dependencies.installing import pip_install
from triage.fixes.recipes.dependencies.older_pip import older_pip
from triage.fixes.recipes.dependencies.own_requirements import own_requirement
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.dependencies.releases import pip_release
from triage.fixes.recipes.dependencies.slips import repair_requirement
from triage.fixes.recipes.dependencies.system_packages import system_package
from triage.fixes.recipes.dependencies.tools import hold_tool
from triage.fixes.recipes.dependencies.uninstalling import pip_uninstall
from triage.fixes.recipes.dependencies.uv_sources import copy_source
from triage.fixes.recipes.dependencies.widening import pip_widen
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import (
    AskForNewest,
    BuildRequires,
    CopySource,
    DeepClone,
    ExtraIndex,
    FitPython,
    HoldBuild,
    HoldCalled,
    HoldMoved,
    HoldReplaced,
    HoldTool,
    HookDependency,
    HookRevision,
    OfDependencies,
    OlderPip,
    OwnRequirement,
    PipInstall,
    PipPin,
    PipRelease,
    PipUninstall,
    PipWiden,
    RepairRequirement,
    SystemPackage,
)


def of_dependencies(recipe: OfDependencies, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case AskForNewest():
            return ask_for_newest(recipe, here)
        case BuildRequires():
            return build_requires(recipe, here)
        case CopySource():
            return copy_source(recipe, here)
        case DeepClone():
            return deep_clone(recipe, here)
        case ExtraIndex():
            return extra_index(recipe, here)
        case FitPython():
            return fit_python(recipe, here)
        case HoldBuild():
            return hold_build(recipe, here)
        case HoldCalled():
            return hold_called(recipe, here)
        case HoldMoved():
            return hold_moved(recipe, here)
        case HoldReplaced():
            return hold_replaced(recipe, here)
        case HoldTool():
            return hold_tool(recipe, here)
        case HookDependency():
            return hook_dependency(recipe, here)
        case HookRevision():
            return hook_revision(recipe, here)
        case OlderPip():
            return older_pip(recipe, here)
        case OwnRequirement():
            return own_requirement(recipe, here)
        case PipInstall():
            known = behind_guard(here) if recipe.guarded else here
            return known if isinstance(known, Refusal) else pip_install(recipe, known)
        case PipPin():
            return pip_pin(recipe, here)
        case PipRelease():
            return pip_release(recipe, here)
        case PipUninstall():
            return pip_uninstall(recipe, here)
        case PipWiden():
            return pip_widen(recipe, here)
        case RepairRequirement():
            return repair_requirement(recipe, here)
        case SystemPackage():
            return system_package(recipe, here)
