"""From a cause's ladder of fixes to drafts for one failed job: what to change where, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.desk import Desk
from triage.fixes.drafting import bare, draft
from triage.fixes.recipes.mechanics import only_where_it_fits
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.conditions import objection
from triage.model.diagnosis import Cause, Facts
from triage.model.patch import Draft, Origin, PatchState
from triage.model.signature import Applicability, Signature, Status, Tables

_NOTHING = (PatchState.REFUSED, PatchState.IN_PLACE)


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
    now = Desk(head, target, facts, tables, cause.captures)
    then = now if tested.sha == head.sha else Desk(tested, target, facts, tables, cause.captures)
    drafts: list[Draft] = []
    left: list[str] = []
    for fix in signature.fixes:
        against = objection(fix.when, now.facts, now.setting)
        if against and not now.stands(fix):
            left.append(f"{fix.title}: {against}")
            continue
        made = draft(now, fix, siblings=siblings)
        if made.state in _NOTHING and only_where_it_fits(fix.recipe, made.state):
            left.append(f"{fix.title}: {made.reason}")
            continue
        if any(_alike(made, other) for other in drafts):
            continue
        if then is not now:
            made = _compared(made, draft(then, fix, siblings=False), tested, head)
        applicability = Applicability.DISPLAY if signature.status is not Status.STABLE else fix.applicability
        drafts.append(replace(made, order=len(drafts), applicability=applicability))
    if not drafts and left:
        reason = f"no rung of the ladder applies ({'; '.join(left)})"
        return (bare(now, signature.fixes[0], PatchState.REFUSED, reason),)
    return tuple(drafts)


def redraft(origin: Origin, tree: Tree, facts: Facts, tables: Tables, labels: Sequence[str] = ()) -> Outcome:
    """What the recipe comes to in another tree: InPlace, when the tree is the patched one."""
    target = Target(
        origin.workflow_path, origin.job, origin.step, tuple(labels), script=origin.script, typed=origin.typed
    )
    return Desk(tree, target, facts, tables, dict(origin.captures)).outcome(origin.recipe)


def _alike(one: Draft, other: Draft) -> bool:
    """The same edits, or the same words, by two rungs."""
    if one.edits or other.edits:
        return set(one.edits) == set(other.edits)
    return (one.state, one.reason) == (other.state, other.reason)


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
