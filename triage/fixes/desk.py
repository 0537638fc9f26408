"""One job of one tree, looked at once, and what a recipe comes to there: edits, already in place, words, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from triage.fixes.project import named_after
from triage.fixes.recipes.apply import apply_recipe
from triage.fixes.recipes.builds.building import open_build, open_lone
from triage.fixes.recipes.builds.shown_image import shown_image
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.dependencies.lacking_lists import lacking
from triage.fixes.recipes.dependencies.log_installs import lacks_installs, placed_by_log
from triage.fixes.recipes.jobless import without_job
from triage.fixes.recipes.late import in_time_or_not
from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.recipes.overrides.knobs import program
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.wiring.invalid import named_workflow
from triage.fixes.recipes.wiring.limits import LIMIT_REACHED, limit_reached
from triage.fixes.refusal import ELSEWHERE, Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.platform import job_platform
from triage.interfaces import Tree
from triage.model.conditions import objection, without_settings
from triage.model.diagnosis import Facts, Layout, Platform
from triage.model.recipe import (
    AgreeingTag,
    AskForNewest,
    BuildRequires,
    ChooseValue,
    DropOption,
    ForceBuild,
    HoldCalled,
    HoldMoved,
    HoldReplaced,
    HookRevision,
    NumberVariable,
    OlderPip,
    OwnRequirement,
    PipInstall,
    PipPin,
    PipRelease,
    PipWiden,
    Recipe,
    RepairConfig,
    SecureAddress,
    SystemPackage,
)
from triage.model.signature import FixStep, Tables

# What an install command reads, which a log may show where no workflow does.
_OF_INSTALLS = (AskForNewest, HoldCalled, HoldMoved, HoldReplaced, OlderPip, PipPin, PipRelease, PipWiden)
# What stands in the files of a project, whoever installs it.
_OF_PROJECTS = (
    *(BuildRequires, ForceBuild, HookRevision, OwnRequirement, PipWiden, RepairConfig, SecureAddress),
    *(AgreeingTag, ChooseValue, DropOption, NumberVariable),
)


class Desk:
    """Works out recipes for one job of one tree; the job is evaluated once."""

    def __init__(self, tree: Tree, target: Target, facts: Facts, tables: Tables, captures: Mapping[str, str]) -> None:
        self.tree, self.target, self.facts, self.tables, self.captures = tree, target, facts, tables, captures
        self.here = self._look()
        self._complete()

    def _complete(self) -> None:
        """With what the job says of itself; as in `_look`, a fault of the engine is a refusal."""
        try:
            self.facts = self.facts if isinstance(self.here, Refusal) else _completed(self.facts, self.here)
        except Exception as error:
            self.here = Refusal(f"the job cannot be read ({type(error).__name__}: {error})", self.target.workflow_path)

    def _look(self) -> Situation | Refusal:
        """With `outcome`, where a fault of the engine is caught: one odd file must not end a triage of thirty jobs."""
        try:
            if not self.target.workflow_path:
                return open_build(self.tree, self.target, self.facts, self.tables, self.captures)
            here = open_situation(self.tree, self.target, self.facts, self.tables, self.captures)
            if isinstance(here, Refusal) and self.facts.build is not None:  # a job that only calls another workflow
                built = open_build(self.tree, self.target, self.facts, self.tables, self.captures)
                return here if isinstance(built, Refusal) else built
            return here
        except Exception as error:
            return Refusal(f"the job cannot be evaluated ({type(error).__name__}: {error})", self.target.workflow_path)

    def outcome(self, recipe: Recipe) -> Outcome:
        try:
            if made := without_job(recipe, self.tree, self.target, self.here, self.facts, self.captures):
                return made
            here = self.here
            lone = open_lone(self.tree, self.target, self.facts, self.tables, self.captures)
            unplaced = isinstance(recipe, (*_OF_INSTALLS, PipInstall)) and self._unplaced(here)
            if isinstance(recipe, PipInstall) and (made := lacking(recipe, here, lone, unplaced=unplaced)) is not None:
                return made
            if unplaced and isinstance(recipe, _OF_INSTALLS):
                here = lone if isinstance(lone, Refusal) else placed_by_log(recipe, here, lone)
            if isinstance(here, Refusal) and isinstance(recipe, _OF_PROJECTS):
                here = lone
            if isinstance(recipe, SystemPackage):
                here = self._in_shown_image(here, lone)
            target = named_workflow(recipe, self.tree, self.target, self.captures)
            return in_time_or_not(here, apply_recipe(named_after(recipe, self.tree), self.tree, target, here))
        except Exception as error:
            return Refusal(f"the recipe failed ({type(error).__name__}: {error})", self.target.workflow_path)

    def _in_shown_image(self, here: Situation | Refusal, lone: Situation | Refusal) -> Situation | Refusal:
        """Where nothing but the log's container is known, the image that it runs."""
        if not isinstance(here, Refusal) or isinstance(lone, Refusal) or self.target.workflow_path or self.facts.build:
            return here
        shown = shown_image(lone)
        return here if isinstance(shown, Refusal) else shown

    def _unplaced(self, here: Situation | Refusal) -> bool:
        """Whether nothing but the log says what the job installs."""
        if isinstance(here, Refusal):  # what another repository's workflow runs, nothing of this one says either
            return not self.target.workflow_path or here.reason.endswith(ELSEWHERE)
        return lacks_installs(here)

    def stands(self, fix: FixStep) -> bool:
        """Whether a rung that only a setting rules out is ruled out because the tree has the fix already."""
        if objection(without_settings(fix.when), self.facts, self.setting):
            return False
        return isinstance(self.outcome(fix.recipe), InPlace)

    def setting(self, knob: str) -> str:
        """The effective value of a knob: what the log shows, else what the first command that has one is given."""
        shown = next(
            (self.facts.settings[name] for name in _log_names(knob, self.tables) if name in self.facts.settings), ""
        )
        if shown or isinstance(self.here, Refusal):
            return shown
        values = (program(self.tree, one, self.tables).read(knob) for one in self.here.concerned)
        return next((value for value in values if value), "")


def _completed(facts: Facts, here: Situation) -> Facts:
    """Platform and layout as the job itself says them, where the log does not."""
    platform, layout = facts.platform, facts.layout
    if platform is Platform.UNKNOWN:
        platform = Platform(job_platform(here.job) or Platform.UNKNOWN)
    if layout is Layout.UNKNOWN:
        trains = [one for one in here.concerned if verb_at([value.text or "" for value in one.argv[:6]], "install") < 0]
        hybrid = {program(here.tree, one, here.tables).read("hybrid_engine").lower() for one in trains} - {""}
        layout = Layout.SEPARATE if hybrid == {"false"} else Layout.COLOCATED if hybrid == {"true"} else layout
    signs = (*facts.signs, LIMIT_REACHED) if limit_reached(here) else facts.signs
    return replace(facts, platform=platform, layout=layout, signs=signs)


def _log_names(knob: str, tables: Tables) -> Iterator[str]:
    """How a log may name a knob: its keys, the engine's arguments (without dashes), its own name."""
    for keys in tables.knobs.get(knob, {}).values():
        yield from (key.lstrip("-+").replace("-", "_") if key.startswith("-") else key for key in keys)
    yield knob
