"""Which mechanics belong to which recipe: the closed vocabulary, matched exhaustively."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.recipes.agreeing_tags import agreeing_tag
from triage.fixes.recipes.base_image import base_image
from triage.fixes.recipes.build_requires import build_requires
from triage.fixes.recipes.build_switches import build_switch
from triage.fixes.recipes.building import failed_build
from triage.fixes.recipes.built import image_of_job, in_image_of_job, promised, set_in_build
from triage.fixes.recipes.caches import clear_cache
from triage.fixes.recipes.checkouts import copy_checkout
from triage.fixes.recipes.choices import repair_value
from triage.fixes.recipes.containers import set_container_option, set_in_container
from triage.fixes.recipes.deepening import deep_clone
from triage.fixes.recipes.downloads import copy_command
from triage.fixes.recipes.effective import effective_value
from triage.fixes.recipes.environment import remove_variable, set_variable
from triage.fixes.recipes.flags import repair_flag
from triage.fixes.recipes.floating import pin_source
from triage.fixes.recipes.groups import repair_group
from triage.fixes.recipes.guards import copy_guard
from triage.fixes.recipes.hook_dependencies import hook_dependency
from triage.fixes.recipes.image import set_image
from triage.fixes.recipes.installing import pip_install
from triage.fixes.recipes.json_arguments import repair_json
from triage.fixes.recipes.keys import set_key
from triage.fixes.recipes.lines import remove_lines, replace_line
from triage.fixes.recipes.outcome import Edited, Outcome, Words, together
from triage.fixes.recipes.override import hydra_override
from triage.fixes.recipes.overriding import repair_override
from triage.fixes.recipes.own_requirements import own_requirement
from triage.fixes.recipes.pins import pip_pin, pip_uninstall
from triage.fixes.recipes.publishing import publish_guard
from triage.fixes.recipes.releases import pip_release
from triage.fixes.recipes.removing import remove_override
from triage.fixes.recipes.repair import repair_workflow
from triage.fixes.recipes.repair_build import repair_build
from triage.fixes.recipes.repeated import repeat_option
from triage.fixes.recipes.retries import retry_command
from triage.fixes.recipes.run_before import run_before
from triage.fixes.recipes.runners import copy_runner
from triage.fixes.recipes.sibling_env import copy_env
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.stale import stale_path
from triage.fixes.recipes.steps import add_step
from triage.fixes.recipes.timeout import raise_timeout
from triage.fixes.recipes.tolerating import tolerate
from triage.fixes.recipes.tools import hold_tool
from triage.fixes.recipes.uv_sources import copy_source
from triage.fixes.recipes.widening import pip_widen
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.recipe import (
    AddStep,
    Advise,
    AgreeingTag,
    BaseImage,
    BuildRequires,
    BuildSwitch,
    ClearCache,
    ContainerOption,
    CopyCheckout,
    CopyCommand,
    CopyEnv,
    CopyGuard,
    CopyRunner,
    CopySource,
    DeepClone,
    EffectiveValue,
    HoldTool,
    HookDependency,
    HydraOverride,
    Image,
    OwnRequirement,
    PinSource,
    PipInstall,
    PipPin,
    PipRelease,
    PipUninstall,
    PipWiden,
    PublishGuard,
    Recipe,
    RemoveEnv,
    RemoveLines,
    RemoveOverride,
    RepairBuild,
    RepairFlag,
    RepairGroup,
    RepairJson,
    RepairOverride,
    RepairValue,
    RepairWorkflow,
    RepeatOption,
    ReplaceLine,
    Rerun,
    RetryCommand,
    RunBefore,
    SetEnv,
    SetKey,
    SingleRecipe,
    Timeout,
    Together,
    Tolerate,
)

# What a program reads, wherever it is started. Installs, images and steps belong to a job.
_OF_PROGRAMS = (HydraOverride, EffectiveValue, SetEnv, RemoveEnv)
# What stands in a file that a command reads, whoever runs it.
_OF_SCRIPTS = (
    BuildRequires,
    OwnRequirement,
    PipRelease,
    AgreeingTag,
    RemoveOverride,
    RepairFlag,
    RepairJson,
    RepairValue,
    RunBefore,
    BuildSwitch,
    Tolerate,
    RepeatOption,
)
# What has its place in the Dockerfile whose build failed.
_OF_BUILDS = (
    *(PipInstall, PipPin, PipRelease, PipUninstall, SetEnv, PinSource, RepairBuild, BaseImage, DeepClone),
    *(RunBefore, BuildSwitch),
)


def apply_recipe(recipe: Recipe, tree: Tree, target: Target, here: Situation | Refusal) -> Outcome:
    """`here` is a Refusal when the job cannot be evaluated: only words and repairs of the file itself need no job."""
    match recipe:
        case Together(recipes):
            return _together(recipes, tree, target, here)
        case RepairWorkflow(path=path):
            return _repaired(path, tree, target, here)
        case Advise(text=text):
            return Words(text)
        case Rerun():
            return Words("rerun the job: the cause is not in the repository")
        case _:
            reviewed = isinstance(recipe, PipInstall) and recipe.reviewed
            if (
                not isinstance(here, Refusal)
                and here.typed
                and not (reviewed or isinstance(recipe, _without_job(here)))
            ):
                return Refusal("the workflow of the failed job is not known, only the commands that its log shows")
            return here if isinstance(here, Refusal) else _placed(recipe, here)


def _repaired(path: str, tree: Tree, target: Target, here: Situation | Refusal) -> Outcome:
    """The file alone, else the path that the log names, wherever the job's commands have it from."""
    made = repair_workflow(tree, target)
    missing = "" if isinstance(here, Refusal) else here.captures.get(path.strip("{}"), "")
    if isinstance(made, Edited) or isinstance(here, Refusal) or not missing:
        return made
    moved = stale_path(missing, here)
    return made if isinstance(moved, Refusal) and "no command" in moved.reason else moved


def _without_job(here: Situation) -> tuple[type, ...]:
    """Recipes that need no more of a job than the commands that its log shows."""
    own = (*_OF_PROGRAMS, *_OF_SCRIPTS)
    return own if here.facts.build is None else (*own, *_OF_BUILDS)


def _placed(recipe: SingleRecipe, here: Situation) -> Outcome:
    """In the job, in the build that failed in it, or in the image that the job runs in."""
    if not isinstance(recipe, _OF_BUILDS) or isinstance(recipe, RepairBuild):
        return _in_job(recipe, here)
    build = here if here.image else failed_build(here)
    if isinstance(build, Refusal):
        return build
    if build is not None:
        made = set_in_build(recipe, build) if isinstance(recipe, SetEnv) else _in_job(recipe, build)
        return promised(made, build)
    inner = set_in_container(recipe, here) if isinstance(recipe, SetEnv) else None
    if inner is not None:
        return inner
    outcome = Words("", image=True) if isinstance(recipe, PinSource | BaseImage) else _in_job(recipe, here)
    if not isinstance(outcome, Words) or not outcome.image:
        return outcome
    image = image_of_job(here)
    if isinstance(image, Refusal):
        return outcome if outcome.text else image
    return in_image_of_job(_in_job(recipe, image[0]), *image, otherwise=outcome)


def _together(recipes: tuple[SingleRecipe, ...], tree: Tree, target: Target, here: Situation | Refusal) -> Outcome:
    outcomes = [apply_recipe(one, tree, target, here) for one in recipes]
    whole = together(outcomes)
    if not isinstance(whole, Edited):
        return whole
    settled = [_settled(one, outcome) for one, outcome in zip(recipes, outcomes, strict=True)]
    return replace(whole, settled=Together(tuple(settled)))


def _settled(recipe: SingleRecipe, outcome: Outcome) -> SingleRecipe:
    chosen = outcome.settled if isinstance(outcome, Edited) else None
    return recipe if chosen is None or isinstance(chosen, Together) else chosen


def _in_job(recipe: SingleRecipe, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
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
        case PipPin():
            return pip_pin(recipe, here)
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
        case CopySource():
            return copy_source(recipe, here)
        case HoldTool():
            return hold_tool(recipe, here)
        case HookDependency():
            return hook_dependency(recipe, here)
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
        case RepairGroup():
            return repair_group(recipe, here)
        case RemoveOverride():
            return remove_override(recipe, here)
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
        case BuildSwitch():
            return build_switch(recipe, here)
        case Tolerate():
            return tolerate(recipe, here)
        case PublishGuard():
            return publish_guard(here)
        case RepeatOption():
            return repeat_option(recipe, here)
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
        case RepairWorkflow() | Rerun() | Advise():
            return Refusal("this recipe needs no job")
