"""From a draft to a patch: edits are made, gates are asked in order, and what is not proved is advice."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from triage.fixes.document import line_of, splice, unified_diff
from triage.fixes.overlay import Overlay
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.gates.again import again
from triage.gates.applies import applies
from triage.gates.arguments import engine_arguments
from triage.gates.change import Change
from triage.gates.commands import job_runs
from triage.gates.composes import composes
from triage.gates.declared import declared
from triage.gates.layout import layout
from triage.gates.linters import linters
from triage.gates.reaches import reaches
from triage.gates.shell_syntax import shell_syntax
from triage.gates.workflow import workflow
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Draft, Gate, GateStatus, Hunk, Patch, PatchState
from triage.model.signature import Applicability, Tables

MANDATORY = (applies, declared, workflow, shell_syntax, reaches, again)
SUPPORTING = (layout, engine_arguments)


def prove(
    draft: Draft,
    head: Tree,
    patch_id: str,
    causes: tuple[str, ...],
    target: Target,
    facts: Facts,
    tables: Tables,
    *,
    linting: bool = True,
) -> Patch:
    """A draft without edits passes through as it is. A failed gate, or a skipped mandatory one, makes it advice.

    `linting`: whether the linters that are installed are asked too; each is a program that must be started.
    """
    if not draft.edits or draft.state not in (PatchState.PATCH, PatchState.ADVICE):
        return _patch(draft, head, patch_id, causes)
    made = _spliced(draft, head)
    if draft.state is PatchState.ADVICE:
        return replace(_patch(draft, head, patch_id, causes), diff=_shown(head, made))
    if isinstance(made, Refusal):
        return _patch(replace(draft, state=PatchState.REFUSED, reason=str(made)), head, patch_id, causes)
    change = _change(draft, head, made, target, facts, tables)
    gates = _gates(change, linting)
    stopped = next((gate for gate in gates if stops(gate)), None)
    patch = replace(_patch(draft, head, patch_id, causes), hunks=_hunks(draft, head), gates=gates)
    try:
        patch = replace(patch, diff=change.diff.decode())
    except UnicodeDecodeError:
        reason = "the file is not UTF-8, so a patch could not be shown as it is"
        return replace(patch, state=PatchState.REFUSED, reason=reason)
    if stopped is not None:
        return replace(patch, state=PatchState.ADVICE, reason=f"not proved: {stopped.name}: {stopped.reason}")
    if draft.applicability is Applicability.DISPLAY:
        return replace(patch, state=PatchState.ADVICE, reason=draft.reason or "shown as advice only")
    return patch


def _shown(head: Tree, made: Mapping[str, bytes] | Refusal) -> str:
    """How a part of an advice looks; nothing of it is proved."""
    if isinstance(made, Refusal):
        return ""
    return b"".join(unified_diff(path, head.read(path), new) for path, new in made.items()).decode("utf-8", "replace")


def stops(gate: Gate) -> bool:
    return gate.status is GateStatus.FAILED or (gate.mandatory and gate.status is GateStatus.SKIPPED)


def _patch(draft: Draft, head: Tree, patch_id: str, causes: tuple[str, ...]) -> Patch:
    return Patch(
        id=patch_id,
        causes=causes,
        title=draft.title,
        recipe=draft.recipe,
        state=draft.state,
        applicability=draft.applicability,
        base_sha=head.sha,
        files=tuple(sorted({edit.path for edit in draft.edits})),
        reason=draft.reason,
        because=draft.because,
        notes=draft.notes,
        costs=draft.costs,
        siblings=draft.siblings,
        blast_radius=draft.blast_radius,
        reproduce=draft.reproduce,
    )


def _spliced(draft: Draft, head: Tree) -> Mapping[str, bytes] | Refusal:
    made: dict[str, bytes] = {}
    for path in sorted({edit.path for edit in draft.edits}):
        if path not in head:
            return Refusal("the head does not have this file", path)
        content = splice(head.read(path), [edit for edit in draft.edits if edit.path == path])
        if isinstance(content, Refusal):
            return content
        made[path] = content
    return made


def _change(
    draft: Draft, head: Tree, made: Mapping[str, bytes], target: Target, facts: Facts, tables: Tables
) -> Change:
    old = {path: head.read(path) for path in made}
    after = Overlay(head, made)
    diff = b"".join(unified_diff(path, old[path], content) for path, content in made.items())
    runs = job_runs(draft, head, after, target, facts)
    return Change(draft, head, after, old, made, diff, target, facts, tables, runs)


def _gates(change: Change, linting: bool) -> tuple[Gate, ...]:
    """Those that start other programs run side by side with the rest; the order in which they are shown is fixed."""
    first = applies(change)
    if stops(first):
        return (first,)  # nothing else is worth asking
    with ThreadPoolExecutor(max_workers=2) as pool:
        asked = pool.submit(linters, change) if linting else None
        composing = pool.submit(composes, change)
        mandatory = [gate(change) for gate in MANDATORY[1:]]
        supporting = [composing.result(), *(gate(change) for gate in SUPPORTING)]
        linted = asked.result() if asked is not None else ()
    return (first, *mandatory, *(gate for gate in supporting if gate is not None), *linted)


def _hunks(draft: Draft, head: Tree) -> tuple[Hunk, ...]:
    """One for each line that is touched, in the head's line numbers."""
    ordered = sorted(draft.edits, key=lambda edit: (edit.path, edit.start))
    hunks = (Hunk(edit.path, line_of(head.read(edit.path), edit.start), edit.why) for edit in ordered)
    return tuple(dict.fromkeys(hunks))
