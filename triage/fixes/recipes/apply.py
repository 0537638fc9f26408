"""Where a recipe acts: in the job, in the build that failed in it, in its image, or in what the log alone shows."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.recipes.builds.building import failed_build
from triage.fixes.recipes.builds.built import image_of_job, in_image_of_job, promised, scaled_in_build, set_in_build
from triage.fixes.recipes.builds.containers import set_in_container
from triage.fixes.recipes.builds.extras import with_extra_in_images
from triage.fixes.recipes.builds.images import is_public
from triage.fixes.recipes.builds.own_container import own_container
from triage.fixes.recipes.commands.stale import stale_path
from triage.fixes.recipes.mechanics import in_job
from triage.fixes.recipes.named_address import rerun
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.repair import repair_workflow
from triage.fixes.refusal import NO_WORKFLOW, Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree
from triage.model.recipe import (
    Advise,
    AgreeingTag,
    AlikeKey,
    ArchList,
    AskForNewest,
    AsRoot,
    BaseImage,
    BuildRequires,
    BuildSwitch,
    ChooseValue,
    CopyConfigKey,
    CopyMount,
    CopyOverride,
    CopyVariable,
    DeepClone,
    DevelBase,
    DropConfigKeys,
    DropOption,
    DropProxy,
    EffectiveValue,
    ExtraIndex,
    FewerJobs,
    FewerSteps,
    FitSetting,
    FitSizes,
    ForceBuild,
    HoldBuild,
    HoldCalled,
    HoldMoved,
    HoldReplaced,
    HookRevision,
    HydraOverride,
    LighterLoss,
    MendCommand,
    MendInstruction,
    MoveThreshold,
    NameWritten,
    NumberVariable,
    OlderPip,
    OwnFolder,
    OwnRequirement,
    PassOption,
    PinSource,
    PipInstall,
    PipPin,
    PipRelease,
    PipUninstall,
    PipWiden,
    Recipe,
    RemoveEnv,
    RemoveGivenTwice,
    RemoveOverride,
    RenameConfigKey,
    RenamePackage,
    RenameVariable,
    RepairBuild,
    RepairConfig,
    RepairFlag,
    RepairJson,
    RepairOverride,
    RepairRequirement,
    RepairScript,
    RepairValue,
    RepairWorkflow,
    RepeatOption,
    ReplaceCommand,
    ReplaceFlags,
    ReplaceLine,
    Rerun,
    RunBefore,
    RunWithShell,
    SecureAddress,
    SetEnv,
    SingleRecipe,
    SystemPackage,
    Timeout,
    Together,
    Tolerate,
    TurnOff,
    UpdateLists,
    UseBash,
)

# What a program reads, wherever it is started. Installs, images and steps belong to a job.
_OF_PROGRAMS = (HydraOverride, EffectiveValue, FitSetting, FitSizes, SetEnv, RemoveEnv)
# What stands in a file that a command reads, whoever runs it.
_OF_SCRIPTS = (
    AskForNewest,
    BuildRequires,
    HoldBuild,
    HoldCalled,
    HoldMoved,
    HoldReplaced,
    HookRevision,
    OlderPip,
    OwnRequirement,
    PipPin,
    PipRelease,
    PipWiden,
    RepairRequirement,
    AgreeingTag,
    RemoveOverride,
    RemoveGivenTwice,
    CopyOverride,
    RepairFlag,
    RepairJson,
    RepairOverride,
    RepairValue,
    RunBefore,
    UpdateLists,
    BuildSwitch,
    Tolerate,
    TurnOff,
    RepeatOption,
    MoveThreshold,
    FewerJobs,
    FewerSteps,
    RepairScript,
    CopyConfigKey,
    CopyVariable,
    NameWritten,
    OwnFolder,
    RepairConfig,
    ReplaceCommand,
    RunWithShell,
    ForceBuild,
    MendCommand,
    RenameConfigKey,
    RenamePackage,
    RenameVariable,
    ReplaceFlags,
    SecureAddress,
    SystemPackage,
    NumberVariable,
    DropConfigKeys,
    DropOption,
    DropProxy,
    ChooseValue,
    LighterLoss,
    AlikeKey,
    UseBash,
)
# What has its place in the Dockerfile whose build failed.
_OF_BUILDS = (
    *(
        AskForNewest,
        BuildRequires,
        OlderPip,
        PipInstall,
        PipPin,
        HoldMoved,
        HoldReplaced,
        PipRelease,
        PipUninstall,
        RepairRequirement,
        SystemPackage,
    ),
    *(SetEnv, PinSource, RepairBuild, BaseImage, DeepClone, RunBefore, UpdateLists, BuildSwitch, ReplaceLine),
    *(FewerJobs, DropProxy, PassOption, Tolerate, RunWithShell, DevelBase, AsRoot, ExtraIndex, CopyMount, ArchList),
    *(MendCommand, MendInstruction, RenamePackage, UseBash),
)


def apply_recipe(recipe: Recipe, tree: Tree, target: Target, here: Situation | Refusal) -> Outcome:
    """`here` is a Refusal when the job cannot be evaluated: only words and repairs of the file itself need no job."""
    match recipe:
        case Together(recipes):
            return _together(recipes, tree, target, here)
        case RepairWorkflow():
            return _repaired(recipe, tree, target, here)
        case Advise(text=text):
            return Words(text)
        case Rerun():
            return rerun(recipe, here)
        case _:
            reviewed = isinstance(recipe, PipInstall) and recipe.reviewed
            if (
                not isinstance(here, Refusal)
                and here.typed
                and not (reviewed or isinstance(recipe, _without_job(here)))
            ):
                return Refusal(f"{NO_WORKFLOW}, only the commands that its log shows")
            return here if isinstance(here, Refusal) else _handed(recipe, here) or _placed(recipe, here)


def _handed(recipe: SingleRecipe, here: Situation) -> Outcome | None:
    """Of a job that hands a script to another repository's workflow only the script can be edited, and the limit that
    is handed over with it: it takes no steps, no environment and no container. None for other jobs."""
    run = here.job.steps[0].run if here.job.hands_script and here.job.steps else None
    if run is None:
        return None
    image = text_of(child(here.job.node, "with", "docker-image"))
    made = _placed(recipe, here)
    brought = isinstance(made, InPlace) or (isinstance(made, Edited) and made.edits[0].path != here.job.path)
    lacking = image and isinstance(recipe, PipInstall) and not recipe.coinstall and not is_public(here, image)
    if lacking and not brought:
        return Words(f"`{here.job.id}` runs in the image {image}: what is missing belongs into what that is built from")
    start, end = here.job.document.start(run), here.job.document.end(run)
    own = [edit for edit in made.edits if edit.path == here.job.path] if isinstance(made, Edited) else []
    if isinstance(recipe, Timeout) or all(start <= edit.start <= edit.end <= end for edit in own):
        return made
    return Refusal(f"`{here.job.id}` calls {here.job.uses}, which takes nothing but a script", here.job.path)


def _repaired(recipe: RepairWorkflow, tree: Tree, target: Target, here: Situation | Refusal) -> Outcome:
    """The path that the log names, wherever the job's commands have it from; else the file alone."""
    missing = "" if isinstance(here, Refusal) else here.captures.get(recipe.path.strip("{}"), "")
    made = repair_workflow(tree, target, missing=missing, paths=not recipe.file)
    if isinstance(made, Edited) or isinstance(here, Refusal) or not missing:
        return made
    moved = stale_path(missing, here)
    if isinstance(moved, Edited) and any(is_typed(edit.path) for edit in moved.edits):
        return Refusal(f"{missing} is named by a command that no file of the repository holds")
    return made if isinstance(moved, Refusal) and "no command" in moved.reason else moved


def _without_job(here: Situation) -> tuple[type, ...]:
    """Recipes that need no more of a job than the commands that its log shows."""
    own = (*_OF_PROGRAMS, *_OF_SCRIPTS)
    return own if here.facts.build is None else (*own, *_OF_BUILDS)


def _placed(recipe: SingleRecipe, here: Situation) -> Outcome:
    """In the job, in the build that failed in it, or in the image that the job runs in."""
    if isinstance(recipe, EffectiveValue) and (limit := _limit_of_build(recipe, here)) is not None:
        return limit
    outside = isinstance(recipe, RunBefore) and recipe.outside
    if not isinstance(recipe, _OF_BUILDS) or isinstance(recipe, RepairBuild) or outside:
        return in_job(recipe, here)
    build = here if here.image else failed_build(here)
    if isinstance(build, Refusal):
        return build
    if build is not None:
        made = set_in_build(recipe, build) if isinstance(recipe, SetEnv) else in_job(recipe, build)
        return promised(made, build)
    if isinstance(recipe, PipInstall) and (own := own_container(here)) is not None:
        return promised(in_job(recipe, own), own)
    inner = set_in_container(recipe, here) if isinstance(recipe, SetEnv) else None
    if inner is None and isinstance(recipe, PipInstall):
        inner = with_extra_in_images(recipe, here)
    if inner is not None:
        return inner
    outcome = Words("", image=True) if isinstance(recipe, PinSource | BaseImage | DevelBase) else in_job(recipe, here)
    if not isinstance(outcome, Words) or not outcome.image:
        return outcome
    image = image_of_job(here)
    if isinstance(image, Refusal):
        return outcome if outcome.text else image
    return in_image_of_job(in_job(recipe, image[0]), *image, otherwise=outcome)


def _limit_of_build(recipe: EffectiveValue, here: Situation) -> Outcome | None:
    """Of a knob that is nothing but a variable, where a build failed that reads it; None for others."""
    spelled = here.tables.knobs.get(recipe.knob, {})
    if here.facts.build is None or [*spelled] != ["env"]:
        return None
    build = here if here.image else failed_build(here)
    return promised(scaled_in_build(recipe, build, spelled["env"][0]), build) if isinstance(build, Situation) else None


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
