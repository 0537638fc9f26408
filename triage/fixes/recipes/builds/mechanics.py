"""Which mechanics belong to which recipe about builds."""

from __future__ import annotations

from triage.fixes.recipes.builds.agreeing_tags import agreeing_tag
from triage.fixes.recipes.builds.arch_lists import arch_list, force_build
from triage.fixes.recipes.builds.base_image import base_image
from triage.fixes.recipes.builds.build_switches import build_switch
from triage.fixes.recipes.builds.built_image import built_image
from triage.fixes.recipes.builds.compilers import fewer_jobs
from triage.fixes.recipes.builds.container_variables import container_variable
from triage.fixes.recipes.builds.containers import set_container_option
from triage.fixes.recipes.builds.floating import pin_source
from triage.fixes.recipes.builds.foundations import copy_mount, devel_base
from triage.fixes.recipes.builds.image import set_image
from triage.fixes.recipes.builds.mend_instruction import mend_instruction
from triage.fixes.recipes.builds.repair_build import repair_build
from triage.fixes.recipes.builds.single_tag import single_tag
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.recipe import (
    AgreeingTag,
    ArchList,
    BaseImage,
    BuildSwitch,
    BuiltImage,
    ContainerOption,
    ContainerVariable,
    CopyMount,
    DevelBase,
    FewerJobs,
    ForceBuild,
    Image,
    MendInstruction,
    OfBuilds,
    PinSource,
    RepairBuild,
    SingleTag,
)


def of_builds(recipe: OfBuilds, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case AgreeingTag():
            return agreeing_tag(recipe, here)
        case SingleTag():
            return single_tag(here)
        case ArchList():
            return arch_list(here)
        case BaseImage():
            return base_image(recipe, here)
        case BuildSwitch():
            return build_switch(recipe, here)
        case BuiltImage():
            return built_image(recipe, here)
        case ContainerOption():
            return set_container_option(recipe, here)
        case ContainerVariable():
            return container_variable(recipe, here)
        case CopyMount():
            return copy_mount(here)
        case DevelBase():
            return devel_base(here)
        case FewerJobs():
            return fewer_jobs(recipe, here)
        case ForceBuild():
            return force_build(recipe, here)
        case Image():
            return set_image(recipe, here)
        case MendInstruction():
            return mend_instruction(recipe, here)
        case PinSource():
            return pin_source(recipe, here)
        case RepairBuild():
            return repair_build(here.tree, here.facts.build, here.captures, here.target.job)
