"""Works out and proves the fixes of one cause over all jobs that it failed, and puts the first choices together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes import Target, prescribe
from triage.fixes.combine import combine, conflict, diff_of
from triage.fixes.refusal import Refusal
from triage.gates import prove
from triage.model.patch import Draft, Patch, PatchState
from triage.model.result import CauseGroup, Failure
from triage.model.signature import Signature, Tables
from triage.pipeline.prescription import Prescription, Trees
from triage.pipeline.related import related

# Beyond this many jobs with one cause nobody would read the patch; the others are siblings.
MOST_JOBS = 50

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
    places = [locate(failure, trees) for failure in failures[:MOST_JOBS]]
    for failure, place in zip(failures, places, strict=False):
        for draft in _drafts(group, signature, failure, place, tables, siblings):
            rungs.setdefault((draft.title, draft.recipe), []).append(draft)
    first = failures[0]
    head = overlaid(trees.head, places)
    made = []
    for drafts in rungs.values():
        draft = combine(drafts)
        patch = prove(draft, head, "", (group.id,), places[0].target, first.diagnosis.facts, tables)
        made.append((patch, draft))
    ordered = sorted(made, key=lambda pair: _STATE_ORDER[pair[0].state])
    return [_placed(*ordered[0], trees), *ordered[1:]] if ordered else []


def _placed(patch: Patch, draft: Draft, trees: Trees) -> tuple[Patch, Draft]:
    """The first choice with what else the repository says of its lines."""
    if trees.around is None or patch.state is not PatchState.PATCH:
        return patch, draft
    return replace(patch, notes=(*patch.notes, *related(patch, draft, trees.head, trees.around))), draft


def _drafts(
    group: CauseGroup, signature: Signature, failure: Failure, trees: Trees, tables: Tables, siblings: bool
) -> tuple[Draft, ...]:
    facts = failure.diagnosis.facts
    cause = failure.cause(group.id)
    return prescribe(cause, signature, facts, target_of(failure), trees.tested, trees.head, tables, siblings)


def target_of(failure: Failure) -> Target:
    """Where in the repository the failure lies: its workflow, job and step."""
    found = failure.diagnosis
    return Target(failure.workflow_path, found.job.name, found.step, found.job.labels)


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
