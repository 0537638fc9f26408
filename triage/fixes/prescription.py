"""From a cause's ladder of fixes to drafts for one failed job: what to change where, or why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from triage.fixes.combine import combine
from triage.fixes.project import named_after
from triage.fixes.recipes.apply import apply_recipe
from triage.fixes.recipes.blast import callers
from triage.fixes.recipes.builds.building import open_build, open_lone
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.dependencies.lacking_lists import lacking
from triage.fixes.recipes.dependencies.log_installs import lacks_installs, placed_by_log
from triage.fixes.recipes.exposed_alike import for_sibling, with_exposed
from triage.fixes.recipes.founding import only_where_it_fits
from triage.fixes.recipes.jobless import without_job
from triage.fixes.recipes.late import in_time_or_not
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.knobs import program
from triage.fixes.recipes.reproduce import reproduce
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.wiring.invalid import named_workflow
from triage.fixes.recipes.wiring.limits import LIMIT_REACHED, limit_reached
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target, facts_of
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.matrix import combinations as all_combinations
from triage.fixes.workflow.platform import job_platform
from triage.interfaces import Tree
from triage.model.conditions import objection, without_settings
from triage.model.diagnosis import Cause, Facts, Layout, Platform
from triage.model.patch import Draft, Origin, PatchState, Sibling
from triage.model.recipe import (
    BuildRequires,
    ForceBuild,
    HoldMoved,
    OwnRequirement,
    PipInstall,
    PipPin,
    PipRelease,
    PipWiden,
    Recipe,
    RepairConfig,
    SecureAddress,
    Together,
)
from triage.model.signature import Applicability, FixStep, Signature, Status, Tables

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# What an install command reads, which a log may show where no workflow does.
_OF_INSTALLS = (HoldMoved, PipPin, PipRelease, PipWiden)
# What stands in the files of a project, whoever installs it.
_NOTHING = (PatchState.REFUSED, PatchState.IN_PLACE)
_OF_PROJECTS = (BuildRequires, ForceBuild, OwnRequirement, PipWiden, RepairConfig, SecureAddress)


def prescribe(
    cause: Cause,
    signature: Signature,
    facts: Facts,
    target: Target,
    tested: Tree,
    head: Tree,
    tables: Tables,
    siblings: bool = False,
) -> tuple[Draft, ...]:
    """One draft for each rung that applies, in the ladder's order; at least one when the signature has fixes.

    Worked out against `head` and compared with `tested`: where the two trees differ is said. Never raises on odd
    repositories: what cannot be worked out is a REFUSED draft with its reason.
    """
    now = _Desk(head, target, facts, tables, cause.captures)
    then = now if tested.sha == head.sha else _Desk(tested, target, facts, tables, cause.captures)
    drafts: list[Draft] = []
    left: list[str] = []
    for fix in signature.fixes:
        against = objection(fix.when, now.facts, now.setting)
        if against and not now.stands(fix):
            left.append(f"{fix.title}: {against}")
            continue
        draft = now.draft(fix, siblings=siblings)
        if draft.state in _NOTHING and only_where_it_fits(fix.recipe, draft.state):
            left.append(f"{fix.title}: {draft.reason}")
            continue
        if any(_alike(draft, other) for other in drafts):
            continue
        if then is not now:
            draft = _compared(draft, then.draft(fix, siblings=False), tested, head)
        applicability = Applicability.DISPLAY if signature.status is not Status.STABLE else fix.applicability
        drafts.append(replace(draft, order=len(drafts), applicability=applicability))
    if not drafts and left:
        reason = f"no rung of the ladder applies ({'; '.join(left)})"
        return (now.bare(signature.fixes[0], PatchState.REFUSED, reason),)
    return tuple(drafts)


def redraft(origin: Origin, tree: Tree, facts: Facts, tables: Tables, labels: Sequence[str] = ()) -> Outcome:
    """What the recipe comes to in another tree: InPlace, when the tree is the patched one."""
    target = Target(origin.workflow_path, origin.job, origin.step, tuple(labels), origin.script)
    return _Desk(tree, target, facts, tables, dict(origin.captures)).outcome(origin.recipe)


class _Desk:
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
            return open_situation(self.tree, self.target, self.facts, self.tables, self.captures)
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
            target = named_workflow(recipe, self.tree, self.target, self.captures)
            return in_time_or_not(here, apply_recipe(named_after(recipe, self.tree), self.tree, target, here))
        except Exception as error:
            return Refusal(f"the recipe failed ({type(error).__name__}: {error})", self.target.workflow_path)

    def _unplaced(self, here: Situation | Refusal) -> bool:
        """Whether nothing but the log says what the job installs."""
        if isinstance(here, Refusal):
            return not self.target.workflow_path
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

    def draft(self, fix: FixStep, *, siblings: bool) -> Draft:
        outcome = self._exposed(self.outcome(fix.recipe))
        own = self._drafted(fix, outcome)
        if not siblings or not isinstance(outcome, Edited):
            return own
        jobs = {(sibling.workflow_path, sibling.job): sibling for sibling in outcome.siblings}
        others = [draft for sibling in jobs.values() for draft in self._for(sibling, fix, outcome)]
        return replace(combine([own, *others]), siblings=())

    def _exposed(self, outcome: Outcome) -> Outcome:
        """A fault in looking for others takes nothing from the fix itself."""
        with suppress(Exception):
            return with_exposed(self.here, outcome)
        return outcome

    def _for(self, sibling: Sibling, fix: FixStep, own: Edited) -> Iterator[Draft]:
        """The parts of the fix that a sibling needs: what shares the image may run nothing that wants the override.

        What the failed job's log says of its own commands does not hold there; a release that was read from it does.
        """
        target = Target(sibling.workflow_path, sibling.job)
        facts = facts_of(self.facts, self.target, target.workflow_path, target.job)
        desk = _Desk(self.tree, target, facts, self.tables, self.captures)
        recipe = for_sibling(fix.recipe, own, self.here, sibling)
        for part in recipe.recipes if isinstance(recipe, Together) else (recipe,):
            draft = desk.draft(replace(fix, recipe=part), siblings=False)
            if draft.state is PatchState.PATCH:
                yield draft

    def _drafted(self, fix: FixStep, outcome: Outcome) -> Draft:
        match outcome:
            case Edited(edits) if any(is_typed(edit.path) for edit in edits):
                reason = "what would change is the command itself, which no file of the repository holds"
                return self.bare(fix, PatchState.REFUSED, reason)
            case Edited():
                return self._patch(fix, outcome)
            case InPlace(reason):
                reason = f"{reason}. The cause may be another one: look elsewhere"
                return self.bare(fix, PatchState.IN_PLACE, reason)
            case Words(text=text, notes=notes, shown=shown):
                words = replace(self.bare(fix, PatchState.ADVICE, _shown(text, self.captures)), notes=notes)
                return replace(words, edits=shown.edits, title=shown.title or words.title) if shown else words
            case Refusal():
                return self.bare(fix, PatchState.REFUSED, str(outcome))

    def _patch(self, fix: FixStep, edited: Edited) -> Draft:
        notes = [*edited.notes, *_around(self.here, edited), f"expires: {fix.expires}" if fix.expires else ""]
        captures = tuple(sorted(self.captures.items()))
        recipe = edited.settled or fix.recipe
        target = self.target
        origin = Origin(recipe, target.workflow_path, target.job, captures, target.step, script=target.script)
        draft = self.bare(fix, PatchState.PATCH, "")
        return replace(
            draft,
            title=edited.title or draft.title,
            because=edited.because or draft.because,
            edits=edited.edits,
            declared=edited.declared,
            expectations=edited.expectations,
            notes=tuple(dict.fromkeys(filter(None, notes))),
            costs=tuple(dict.fromkeys([*(() if edited.because else fix.costs), *edited.costs])),
            siblings=edited.siblings,
            blast_radius=(*edited.blast_radius, *callers(self.here, edited.edits)),
            reproduce="" if isinstance(self.here, Refusal) else reproduce(self.here),
            origins=(origin,),
        )

    def bare(self, fix: FixStep, state: PatchState, reason: str) -> Draft:
        """A draft without edits. Captures in a title are for people only."""
        title, because = (_shown(text, self.captures) for text in (fix.title, fix.because))
        recipe = fix.recipe.recipe
        return Draft(title, recipe, state, fix.applicability, reason=reason, because=because, costs=fix.costs)


def _shown(text: str, captures: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: captures.get(found[1], found[0]), text)


def _alike(one: Draft, other: Draft) -> bool:
    """The same edits, or the same words, by two rungs."""
    if one.edits or other.edits:
        return set(one.edits) == set(other.edits)
    return (one.state, one.reason) == (other.state, other.reason)


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


def _around(here: Situation | Refusal, edited: Edited) -> Iterator[str]:
    """What else a reader must know: cells of a matrix, the job's limit, and what was not checked."""
    if isinstance(here, Refusal):
        return
    every = len(all_combinations(here.job.document, here.job.node, {}))
    if every > 1 and any(edit.path == here.job.path for edit in edited.edits):
        yield f"what is edited in the workflow holds for all {every} cells of the matrix"
    limit = here.job.timeout_minutes
    if limit is not None and any(one.kind == "setting" for one in edited.expectations):
        yield f"where it makes the job slower: the job's limit is {limit.value} minutes"
    yield from (f"not checked: {note}" for note in here.evaluation.notes[:5])


def _compared(now: Draft, then: Draft, tested: Tree, head: Tree) -> Draft:
    """The draft for the head, with what differs at the tested commit."""
    paths = dict.fromkeys(edit.path for edit in (*now.edits, *then.edits))
    moved = [path for path in paths if _content(tested, path) != _content(head, path)]
    notes = [f"{', '.join(moved)} differ between the tested commit and the head"] if moved else []
    if now.state is not then.state:
        notes.append(f"at the tested commit this fix is {then.state.value}, at the head it is {now.state.value}")
    return replace(now, notes=(*now.notes, *notes))


def _content(tree: Tree, path: str) -> bytes | None:
    return tree.read(path) if path in tree else None
