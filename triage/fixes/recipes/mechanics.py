"""Which mechanics belong to which recipe: the closed vocabulary, matched exhaustively."""

from __future__ import annotations

from triage.fixes.recipes.builds.agreeing_tags import agreeing_tag
from triage.fixes.recipes.builds.base_image import base_image
from triage.fixes.recipes.builds.build_switches import build_switch
from triage.fixes.recipes.builds.compilers import fewer_jobs
from triage.fixes.recipes.builds.containers import set_container_option
from triage.fixes.recipes.builds.floating import pin_source
from triage.fixes.recipes.builds.image import set_image
from triage.fixes.recipes.builds.repair_build import repair_build
from triage.fixes.recipes.commands.activating import activate_environment
from triage.fixes.recipes.commands.caches import clear_cache
from triage.fixes.recipes.commands.git_settings import git_identity, trust_folder
from triage.fixes.recipes.commands.ignoring import ignore_test
from triage.fixes.recipes.commands.lines import remove_lines, replace_line
from triage.fixes.recipes.commands.package_lists import update_lists
from triage.fixes.recipes.commands.prepared import name_written
from triage.fixes.recipes.commands.retries import retry_command
from triage.fixes.recipes.commands.rewording import reword
from triage.fixes.recipes.commands.run_before import run_before
from triage.fixes.recipes.commands.stripping import strip_archive
from triage.fixes.recipes.commands.thresholds import move_threshold
from triage.fixes.recipes.commands.tolerating import tolerate
from triage.fixes.recipes.commands.unbound import copy_variable
from triage.fixes.recipes.commands.unended import repair_script
from triage.fixes.recipes.correcting import correct
from triage.fixes.recipes.dependencies.blamed import hold_moved
from triage.fixes.recipes.dependencies.build_requires import build_requires
from triage.fixes.recipes.dependencies.deepening import deep_clone
from triage.fixes.recipes.dependencies.held_releases import of_releases
from triage.fixes.recipes.dependencies.hook_dependencies import hook_dependency
from triage.fixes.recipes.dependencies.installing import pip_install
from triage.fixes.recipes.dependencies.own_requirements import own_requirement
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.dependencies.releases import pip_release
from triage.fixes.recipes.dependencies.slips import repair_requirement
from triage.fixes.recipes.dependencies.system_packages import system_package
from triage.fixes.recipes.dependencies.tools import hold_tool
from triage.fixes.recipes.dependencies.uninstalling import pip_uninstall
from triage.fixes.recipes.dependencies.uv_sources import copy_source
from triage.fixes.recipes.dependencies.widening import pip_widen
from triage.fixes.recipes.founding import of_foundations
from triage.fixes.recipes.mending import of_mending
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.overrides.broken_yaml import repair_config
from triage.fixes.recipes.overrides.choices import repair_value
from triage.fixes.recipes.overrides.dividing import fit_sizes
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.overrides.fewer_steps import fewer_steps
from triage.fixes.recipes.overrides.flags import repair_flag
from triage.fixes.recipes.overrides.given_twice import remove_given_twice
from triage.fixes.recipes.overrides.json_arguments import repair_json
from triage.fixes.recipes.overrides.lacking import copy_config_key
from triage.fixes.recipes.overrides.mandatory import copy_override
from triage.fixes.recipes.overrides.override import hydra_override
from triage.fixes.recipes.overrides.overriding import repair_override
from triage.fixes.recipes.overrides.removing import remove_override
from triage.fixes.recipes.overrides.repeated import repeat_option
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.checkouts import copy_checkout
from triage.fixes.recipes.wiring.downloads import copy_command
from triage.fixes.recipes.wiring.environment import remove_variable, set_variable
from triage.fixes.recipes.wiring.guards import copy_guard
from triage.fixes.recipes.wiring.keys import set_key
from triage.fixes.recipes.wiring.of_wirings import of_wirings
from triage.fixes.recipes.wiring.permissions import grant_permission
from triage.fixes.recipes.wiring.runners import copy_runner
from triage.fixes.recipes.wiring.sibling_env import copy_env
from triage.fixes.recipes.wiring.steps import add_step
from triage.fixes.recipes.wiring.timeout import raise_timeout
from triage.fixes.refusal import Refusal
from triage.model.corrections import OfCorrectionsInJob
from triage.model.mending import OfMendingInJob
from triage.model.recipe import (
    ActivateEnvironment,
    AddStep,
    AgreeingTag,
    BaseImage,
    BuildRequires,
    BuildSwitch,
    ClearCache,
    ContainerOption,
    CopyCheckout,
    CopyCommand,
    CopyConfigKey,
    CopyEnv,
    CopyGuard,
    CopyLabel,
    CopyOverride,
    CopyRunner,
    CopySource,
    CopyVariable,
    DeepClone,
    EffectiveValue,
    FewerJobs,
    FewerSteps,
    FitSizes,
    GitIdentity,
    GrantPermission,
    HoldCalled,
    HoldMoved,
    HoldTool,
    HookDependency,
    HookRevision,
    HydraOverride,
    IgnoreTest,
    Image,
    MoveThreshold,
    NameWritten,
    OwnFolder,
    OwnRequirement,
    PassOption,
    PinSource,
    PipInstall,
    PipPin,
    PipRelease,
    PipUninstall,
    PipWiden,
    PublishGuard,
    RemoveEnv,
    RemoveGivenTwice,
    RemoveLines,
    RemoveOverride,
    RepairBuild,
    RepairConfig,
    RepairFlag,
    RepairJson,
    RepairOverride,
    RepairRequirement,
    RepairScript,
    RepairValue,
    RepeatOption,
    ReplaceCommand,
    ReplaceLine,
    RetryCommand,
    RunBefore,
    RunWithShell,
    SetEnv,
    SetKey,
    SingleRecipe,
    StripArchive,
    SystemPackage,
    Timeout,
    Tolerate,
    TrustFolder,
    UpdateLists,
    WidenVersion,
)
from triage.model.tidying import NeedsNoJob
from triage.model.wirings import OfWirings


def in_job(recipe: SingleRecipe, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    """What one recipe comes to in one job. The caller catches what an odd repository makes it raise."""
    if isinstance(recipe, NeedsNoJob):
        return Refusal("this recipe needs no job")
    if isinstance(recipe, OfWirings):
        return of_wirings(recipe, here)
    if isinstance(recipe, OfCorrectionsInJob):
        return correct(recipe, here)
    if isinstance(recipe, OfMendingInJob):
        return of_mending(recipe, here)
    match recipe:
        case HydraOverride():
            return hydra_override(recipe, here)
        case EffectiveValue():
            return effective_value(recipe, here)
        case SetEnv():
            return set_variable(recipe, here)
        case RemoveEnv():
            return remove_variable(recipe, here)
        case PipInstall():
            return pip_install(recipe, here)
        case SystemPackage():
            return system_package(recipe, here)
        case PipPin():
            return pip_pin(recipe, here)
        case HoldMoved():
            return hold_moved(recipe, here)
        case PipUninstall():
            return pip_uninstall(recipe, here)
        case PipWiden():
            return pip_widen(recipe, here)
        case BuildRequires():
            return build_requires(recipe, here)
        case OwnRequirement():
            return own_requirement(recipe, here)
        case PipRelease():
            return pip_release(recipe, here)
        case RepairRequirement():
            return repair_requirement(recipe, here)
        case CopySource():
            return copy_source(recipe, here)
        case HoldTool():
            return hold_tool(recipe, here)
        case HookDependency():
            return hook_dependency(recipe, here)
        case HoldCalled() | HookRevision():
            return of_releases(recipe, here)
        case AddStep():
            return add_step(recipe, here)
        case Image():
            return set_image(recipe, here)
        case ContainerOption():
            return set_container_option(recipe, here)
        case Timeout():
            return raise_timeout(recipe, here)
        case RemoveLines():
            return remove_lines(recipe, here)
        case ReplaceLine():
            return replace_line(recipe, here)
        case SetKey():
            return set_key(recipe, here)
        case RepairFlag():
            return repair_flag(recipe, here)
        case RemoveOverride():
            return remove_override(recipe, here)
        case RemoveGivenTwice():
            return remove_given_twice(recipe, here)
        case CopyOverride():
            return copy_override(recipe, here)
        case AgreeingTag():
            return agreeing_tag(recipe, here)
        case RepairJson():
            return repair_json(recipe, here)
        case RepairValue():
            return repair_value(recipe, here)
        case CopyCheckout():
            return copy_checkout(here)
        case RunBefore():
            return run_before(recipe, here)
        case UpdateLists():
            return update_lists(recipe, here)
        case BuildSwitch():
            return build_switch(recipe, here)
        case Tolerate():
            return tolerate(recipe, here)
        case MoveThreshold():
            return move_threshold(recipe, here)
        case FewerJobs():
            return fewer_jobs(recipe, here)
        case FitSizes():
            return fit_sizes(recipe, here)
        case FewerSteps():
            return fewer_steps(recipe, here)
        case GrantPermission():
            return grant_permission(recipe, here)
        case RepeatOption():
            return repeat_option(recipe, here)
        case RepairConfig():
            return repair_config(recipe, here)
        case RepairOverride():
            return repair_override(recipe, here)
        case ClearCache():
            return clear_cache(recipe, here)
        case RetryCommand():
            return retry_command(recipe, here)
        case CopyCommand():
            return copy_command(recipe, here)
        case CopyRunner():
            return copy_runner(recipe, here)
        case CopyEnv():
            return copy_env(recipe, here)
        case PinSource():
            return pin_source(recipe, here)
        case DeepClone():
            return deep_clone(recipe, here)
        case BaseImage():
            return base_image(recipe, here)
        case RepairBuild():
            return repair_build(here.tree, here.facts.build, here.captures, here.target.job)
        case CopyGuard():
            return copy_guard(recipe, here)
        case RepairScript():
            return repair_script(recipe, here)
        case GitIdentity():
            return git_identity(here)
        case TrustFolder():
            return trust_folder(recipe, here)
        case CopyConfigKey():
            return copy_config_key(recipe, here)
        case ActivateEnvironment():
            return activate_environment(here)
        case StripArchive():
            return strip_archive(recipe, here)
        case RunWithShell() | ReplaceCommand() | PassOption() | OwnFolder():
            return reword(recipe, here)
        case IgnoreTest():
            return ignore_test(recipe, here)
        case CopyLabel() | PublishGuard() | WidenVersion():
            return of_wirings(recipe, here)
        case NameWritten():
            return name_written(recipe, here)
        case CopyVariable():
            return copy_variable(recipe, here)
        case _:
            return of_foundations(recipe, here)
