"""What a recipe comes to in one tree: edits with their promises, or in words why there are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation, Sibling
from triage.model.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Edited:
    """Edits, the semantic paths that they change, and what must hold afterwards. Never without edits."""

    edits: tuple[Edit, ...]
    declared: tuple[str, ...]
    expectations: tuple[Expectation, ...]
    notes: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    blast_radius: tuple[str, ...] = ()
    # The recipe with the values that were chosen here, where it names them relative to the old ones.
    settled: Recipe | None = None
    # What is really done, and why, where that is not what the fix is called; its costs are then those of `costs` alone.
    title: str = ""
    because: str = ""

    def noting(self, *notes: str) -> Edited:
        return replace(self, notes=(*self.notes, *(note for note in notes if note)))


@dataclass(frozen=True, slots=True)
class InPlace:
    """The tree already holds what the recipe would bring about: a strong sign of another cause."""

    reason: str


@dataclass(frozen=True, slots=True)
class Words:
    """Advice: what a person should do, where no edit can be proved right. `shown` is how a part of it looks."""

    text: str
    notes: tuple[str, ...] = ()
    shown: Edited | None = None
    # The job's image decides it, not the job.
    image: bool = False


Outcome = Edited | InPlace | Words | Refusal


def _in_line(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Arguments that are appended to one command at one place become one edit, in their order."""
    joined: dict[object, Edit] = {}
    for edit in edits:
        argument = edit.start == edit.end and edit.new.startswith(b" ") and b"\n" not in edit.new
        key = (edit.path, edit.start) if argument else edit
        before = joined.get(key)
        joined[key] = edit if before is None else replace(before, new=before.new + edit.new)
    return tuple(joined.values())


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """All or nothing: one refusal refuses all; parts that are in place already need no edit."""
    parts = list(outcomes)
    for part in parts:
        if isinstance(part, Refusal | Words):
            return part
    edited = [part for part in parts if isinstance(part, Edited)]
    if not edited:
        return InPlace("; ".join(dict.fromkeys(part.reason for part in parts if isinstance(part, InPlace))))
    standing = [part.reason for part in parts if isinstance(part, InPlace)]
    return Edited(
        edits=_in_line(dict.fromkeys(edit for part in edited for edit in part.edits)),
        declared=tuple(dict.fromkeys(path for part in edited for path in part.declared)),
        expectations=tuple(dict.fromkeys(one for part in edited for one in part.expectations)),
        notes=tuple(dict.fromkeys([*(note for part in edited for note in part.notes), *standing])),
        costs=tuple(dict.fromkeys(cost for part in edited for cost in part.costs)),
        siblings=tuple(dict.fromkeys(one for part in edited for one in part.siblings)),
        blast_radius=tuple(dict.fromkeys(one for part in edited for one in part.blast_radius)),
        title=edited[0].title if len(parts) == 1 else "",
        because=edited[0].because if len(parts) == 1 else "",
    )
