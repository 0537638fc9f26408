"""What fixes are worked out on, and what came of it: the trees, how to get at them, and the prescription."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from triage.interfaces import Tree
from triage.model.patch import Draft, Patch, PatchState
from triage.model.result import CauseGroup
from triage.pipeline.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Trees:
    """The snapshot that was tested, the one that patches are made for, and what a reader must know about the two.

    `around` answers what else the repository says of the lines that a patch changes; None: nobody is asked.
    """

    tested: Tree
    head: Tree
    notices: tuple[str, ...] = ()
    around: Surroundings | None = None


@dataclass(frozen=True, slots=True)
class NoTrees:
    """Why there is no tree to work on: fixes are advice then.

    `reason` is said of each cause; `hint`, how to get patches, once of the whole result, where a tree would make one.
    """

    reason: str
    hint: str = ""


# From the commit that the log says was tested ("" when it does not) to the trees. Called only when a fix is needed.
TreeAccess = Callable[[str], Trees | NoTrees]


@dataclass(frozen=True, slots=True)
class Prescription:
    """`drafts` are those behind the patches, by patch id; `head` is the tree that they edit."""

    groups: tuple[CauseGroup, ...] = ()
    patches: tuple[Patch, ...] = ()
    drafts: Mapping[str, Draft] = field(default_factory=dict)
    head: Tree | None = None
    notices: tuple[str, ...] = ()

    @property
    def chosen(self) -> tuple[Patch, ...]:
        """The first choice of each cause, where it is a patch."""
        by_id = {patch.id: patch for patch in self.patches}
        firsts = (by_id[group.fixes[0]] for group in self.groups if group.fixes)
        return tuple(patch for patch in firsts if patch.state is PatchState.PATCH)
