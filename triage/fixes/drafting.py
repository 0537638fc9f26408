"""A rung of a ladder as a draft: the edits that its recipe comes to, with what a reader must know around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from triage.fixes.combine import combine
from triage.fixes.desk import Desk
from triage.fixes.recipes.blast import callers
from triage.fixes.recipes.exposed_alike import for_sibling, with_exposed
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.reproduce import reproduce
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target, facts_of
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.matrix import combinations as all_combinations
from triage.model.patch import Draft, Origin, PatchState, Sibling
from triage.model.recipe import Together
from triage.model.signature import FixStep

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def draft(desk: Desk, fix: FixStep, *, siblings: bool) -> Draft:
    """With `siblings`, the edits for the jobs that are exposed to the same failure are part of it."""
    outcome = _exposed(desk, desk.outcome(fix.recipe))
    own = _drafted(desk, fix, outcome)
    if not siblings or not isinstance(outcome, Edited):
        return own
    jobs = {(sibling.workflow_path, sibling.job): sibling for sibling in outcome.siblings}
    others = [one for sibling in jobs.values() for one in _for(desk, sibling, fix, outcome)]
    return replace(combine([own, *others]), siblings=())


def _exposed(desk: Desk, outcome: Outcome) -> Outcome:
    """A fault in looking for others takes nothing from the fix itself."""
    with suppress(Exception):
        return with_exposed(desk.here, outcome)
    return outcome


def _for(desk: Desk, sibling: Sibling, fix: FixStep, own: Edited) -> Iterator[Draft]:
    """The parts of the fix that a sibling needs: what shares the image may run nothing that wants the override.

    What the failed job's log says of its own commands does not hold there; a release that was read from it does.
    """
    target = Target(sibling.workflow_path, sibling.job)
    facts = facts_of(desk.facts, desk.target, target.workflow_path, target.job)
    there = Desk(desk.tree, target, facts, desk.tables, desk.captures)
    recipe = for_sibling(fix.recipe, own, desk.here, sibling)
    for part in recipe.recipes if isinstance(recipe, Together) else (recipe,):
        drafted = draft(there, replace(fix, recipe=part), siblings=False)
        if drafted.state is PatchState.PATCH:
            yield drafted


def _drafted(desk: Desk, fix: FixStep, outcome: Outcome) -> Draft:
    match outcome:
        case Edited(edits) if any(is_typed(edit.path) for edit in edits):
            reason = "what would change is the command itself, which no file of the repository holds"
            return bare(desk, fix, PatchState.REFUSED, reason)
        case Edited():
            return _patch(desk, fix, outcome)
        case InPlace(reason):
            reason = f"{reason}. The cause may be another one: look elsewhere"
            return bare(desk, fix, PatchState.IN_PLACE, reason)
        case Words(text=text, notes=notes, shown=shown):
            words = replace(bare(desk, fix, PatchState.ADVICE, _shown(text, desk.captures)), notes=notes)
            return replace(words, edits=shown.edits, title=shown.title or words.title) if shown else words
        case Refusal():
            return bare(desk, fix, PatchState.REFUSED, str(outcome))


def _patch(desk: Desk, fix: FixStep, edited: Edited) -> Draft:
    notes = [*edited.notes, *_around(desk.here, edited), f"expires: {fix.expires}" if fix.expires else ""]
    captures = tuple(sorted(desk.captures.items()))
    recipe = edited.settled or fix.recipe
    target = desk.target
    origin = Origin(
        recipe,
        target.workflow_path,
        target.job,
        captures,
        target.step if isinstance(desk.here, Refusal) else desk.here.step_name,
        script=target.script,
        typed=target.typed,
    )
    plain = bare(desk, fix, PatchState.PATCH, "")
    return replace(
        plain,
        title=edited.title or plain.title,
        because=edited.because or plain.because,
        edits=edited.edits,
        declared=edited.declared,
        expectations=edited.expectations,
        notes=tuple(dict.fromkeys(filter(None, notes))),
        costs=tuple(dict.fromkeys([*(() if edited.because else fix.costs), *edited.costs])),
        siblings=edited.siblings,
        blast_radius=(*edited.blast_radius, *callers(desk.here, edited.edits)),
        reproduce="" if isinstance(desk.here, Refusal) else reproduce(desk.here),
        origins=(origin,),
    )


def bare(desk: Desk, fix: FixStep, state: PatchState, reason: str) -> Draft:
    """A draft without edits. Captures in a title are for people only."""
    title, because = (_shown(text, desk.captures) for text in (fix.title, fix.because))
    recipe = fix.recipe.recipe
    return Draft(title, recipe, state, fix.applicability, reason=reason, because=because, costs=fix.costs)


def _shown(text: str, captures: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: captures.get(found[1], found[0]), text)


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
