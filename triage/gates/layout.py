"""Supporting gate: the parallel layout of every changed command still divides."""

from __future__ import annotations

from triage.fixes.invariants import Invariant, check_layout
from triage.fixes.recipes.overrides.knobs import program
from triage.gates.change import Change, failed, ok, skipped
from triage.gates.commands import changed_commands
from triage.model.patch import Gate

NAME = "parallelism divides"


def layout(change: Change) -> Gate | None:
    """None when no changed command has a parallel layout. What was broken before is no finding of this draft."""
    held: set[str] = set()
    unknown: set[str] = set()
    for pair in changed_commands(change):
        before = _broken(change, pair.before and program(change.head, pair.before, change.tables).read)
        for one in check_layout(
            program(change.after, pair.after, change.tables).read, change.tables, change.facts.gpus
        ):
            if one.holds is False and one.name not in before:
                return failed(NAME, f"{pair.title}: {one.name}: {one.text}", mandatory=False)
            (held if one.holds else unknown).add(one.name if one.holds else f"{one.name}: {one.text}")
    if not held and not unknown:
        return None
    missing = f"; not checkable: {'; '.join(sorted(unknown))}" if unknown else ""
    if not held:
        return skipped(NAME, missing.removeprefix("; "), mandatory=False)
    return ok(NAME, f"{', '.join(sorted(held))}{missing}", mandatory=False)


def _broken(change: Change, read: object) -> set[str]:
    if not callable(read):
        return set()
    found: tuple[Invariant, ...] = check_layout(read, change.tables, change.facts.gpus)
    return {one.name for one in found if one.holds is False}
