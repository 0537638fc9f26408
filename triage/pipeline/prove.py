"""Works out and proves the fixes of one cause over all jobs that it failed, and puts the first choices together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes import Target, prescribe
from triage.fixes.combine import combine, conflict, diff_of
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.contradiction import Doubt, doubt
from triage.fixes.whereabouts.typed import spoken
from triage.gates import prove
from triage.model.patch import Draft, Patch, PatchState
from triage.model.result import CauseGroup, Failure
from triage.model.signature import Signature, Tables
from triage.pipeline.places import Place, further_place, laid_over, place_of
from triage.pipeline.prescription import Prescription, Trees
from triage.pipeline.related import related

# Beyond this many jobs with one cause nobody would read the patch; the others are siblings.
MOST_JOBS = 50

# What a program reads, wherever it is started; installs and images belong to the job that was named.
_OF_PROGRAMS = (
    *("effective_value", "env", "env_remove", "repair_override", "remove_override", "repair_flag", "repair_value"),
    *("repair_json", "repeat_option", "tolerate", "repair_script", "copy_variable", "name_written"),
)
_SETTLED = (PatchState.PATCH, PatchState.IN_PLACE)
_STATE_ORDER = {PatchState.PATCH: 0, PatchState.IN_PLACE: 1, PatchState.ADVICE: 2, PatchState.REFUSED: 3}


def drafts_and_patches(
    group: CauseGroup,
    signature: Signature,
    failures: Sequence[Failure],
    trees: Trees,
    tables: Tables,
    siblings: bool,
) -> list[tuple[Patch, Draft]]:
    """Each rung of the signature's ladder as one patch over the jobs, patches before what is only said."""
    rungs: dict[tuple[str, str], list[Draft]] = {}
    files: dict[str, bytes] = {}
    targets: list[Target] = []
    for failure in failures[:MOST_JOBS]:
        for place, drafts in _worked(group, signature, failure, trees, tables, siblings):
            files |= place.files
            targets.append(place.target)
            for draft in place.noted(drafts):
                rungs.setdefault((draft.title, draft.recipe), []).append(draft)
    head = laid_over(trees.head, files)
    made = []
    for rung in rungs.values():
        draft = combine(rung)
        target = _about(draft, targets)
        proved = prove(draft, head, "", (group.id,), target, failures[0].diagnosis.facts, tables)
        made.append((_spoken(proved), draft))
    ordered = sorted(made, key=lambda pair: _STATE_ORDER[pair[0].state])
    return [_placed(*ordered[0], trees), *ordered[1:]] if ordered else []


def _spoken(patch: Patch) -> Patch:
    """Without places in the workflow that stands for a log's commands."""
    notes = tuple(map(spoken, patch.notes))
    return replace(patch, reason=spoken(patch.reason), because=spoken(patch.because), notes=notes)


def _placed(patch: Patch, draft: Draft, trees: Trees) -> tuple[Patch, Draft]:
    """The first choice with what else the repository says of its lines."""
    if trees.around is None or patch.state is not PatchState.PATCH:
        return patch, draft
    return replace(patch, notes=(*patch.notes, *related(patch, draft, trees.head, trees.around))), draft


def _about(draft: Draft, targets: Sequence[Target]) -> Target:
    """The target that the draft was worked out for; the first one where it was for several."""
    own = {(origin.workflow_path, origin.job) for origin in draft.origins}
    return next((one for one in targets if (one.workflow_path, one.job) in own), targets[0])


def _worked(
    group: CauseGroup, signature: Signature, failure: Failure, trees: Trees, tables: Tables, siblings: bool
) -> Iterator[tuple[Place, tuple[Draft, ...]]]:
    """The ladder where the job lies. Where its own shell reads no such setting, the program that the log names leads
    further: then the rungs that help there come first, and the others stand as they are."""
    facts, cause = failure.diagnosis.facts, failure.cause(group.id)
    place = place_of(failure, trees)
    own = prescribe(cause, signature, facts, place.target, place.tested, place.head, tables, siblings)
    doubted = doubt(place.tested, place.target, failure.diagnosis.trail.announced) if own else Doubt()
    own = tuple(_doubted(one, doubted) for one in own)
    shorter = replace(signature, fixes=tuple(one for one in signature.fixes if one.recipe.recipe in _OF_PROGRAMS))
    stuck = shorter.fixes and not any(one.state in _SETTLED for one in own if one.recipe in _OF_PROGRAMS)
    further = further_place(failure, trees) if stuck else None
    if further is None:
        yield place, own
        return
    found = prescribe(cause, shorter, facts, further.target, further.tested, further.head, tables, siblings)
    better = tuple(one for one in found if one.state is not PatchState.REFUSED)
    yield further, better
    yield place, tuple(one for one in own if all(one.title != other.title for other in better))


def _doubted(draft: Draft, found: Doubt) -> Draft:
    """A patch for a job that the log is not of is advice, and what such a job has in place says nothing of the run."""
    if found.against and draft.edits:
        return replace(draft, state=PatchState.ADVICE, reason=found.against)
    if found.lost and draft.state is PatchState.IN_PLACE:
        return replace(draft, state=PatchState.REFUSED, reason=f"{found.lost}, so that nothing there says what ran")
    return draft


def compose(prescription: Prescription) -> tuple[str, tuple[str, ...]]:
    """The diff of the first choice of each cause, and a sentence for each that is left out because it conflicts."""
    kept: list[Patch] = []
    left_out: list[str] = []
    for patch in prescription.chosen:
        clash = conflict([prescription.drafts[one.id] for one in (*kept, patch)])
        if clash:
            left_out.append(f"patch {patch.id} ({patch.title}) is left out: {clash}")
        else:
            kept.append(patch)
    if not kept or prescription.head is None:
        return "", tuple(left_out)
    diff = diff_of((edit for patch in kept for edit in prescription.drafts[patch.id].edits), prescription.head)
    if isinstance(diff, Refusal):
        return kept[0].diff, (*left_out, f"only {kept[0].id} is written: {diff.reason}")
    return diff, tuple(left_out)
