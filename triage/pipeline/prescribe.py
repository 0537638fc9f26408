"""From causes to fixes: which cause gets which patches, numbered, or advice where there is no tree to patch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.interfaces import Tree
from triage.model.patch import Draft, Patch, PatchState
from triage.model.result import CauseGroup, Failure
from triage.model.signature import Catalogue
from triage.pipeline.advice import advise
from triage.pipeline.image_build import with_place
from triage.pipeline.prescription import NoTrees, Prescription, TreeAccess, Trees

# Recipes that edit nothing, whatever tree there is.
_WORDS_ALONE = frozenset({"advise", "rerun"})


def prescribe(
    groups: Sequence[CauseGroup],
    failures: Sequence[Failure],
    catalogue: Catalogue,
    trees: TreeAccess,
    *,
    siblings: bool = False,
) -> Prescription:
    """Fixes for every cause whose signature has some. Patch ids are p1, p2, ... in the order of the causes."""
    by_id = {failure.id: failure for failure in failures}
    desk = _Desk(catalogue, trees, siblings)
    done = [desk.fix(group, [by_id[failure] for failure in group.failures]) for group in groups]
    return Prescription(tuple(done), tuple(desk.patches), desk.drafts, desk.head, tuple(dict.fromkeys(desk.notices)))


class _Desk:
    """Works through the causes of one result; what it learns on the way (trees, notices) is kept for the next cause."""

    def __init__(self, catalogue: Catalogue, trees: TreeAccess, siblings: bool) -> None:
        self.catalogue = catalogue
        self.trees = trees
        self.siblings = siblings
        self.patches: list[Patch] = []
        self.drafts: dict[str, Draft] = {}
        self.notices: list[str] = []
        self.head: Tree | None = None

    def fix(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        signature = self.catalogue.signatures.get(group.signature)
        if signature is None or not signature.fixes:
            return group
        made: Sequence[tuple[Patch, Draft | None]]
        match self.trees(_tested_sha(failures)):
            case NoTrees(reason, hint):
                made = [(said, None) for said in advise(group, signature, failures[0], reason, self.catalogue.tables)]
                if hint and any(said.recipe not in _WORDS_ALONE for said, _ in made):
                    self.notices.append(hint)
            case Trees() as found:
                self.head = found.head
                self.notices.extend(found.notices)
                # Parsers for YAML and shell, and the gates: logs that are read without a tree do not wait for them.
                from triage.fixes.refusal import NO_WORKFLOW
                from triage.pipeline.prove import drafts_and_patches

                made = drafts_and_patches(group, signature, failures, found, self.catalogue.tables, self.siblings)
                if nowhere := _refused_for(NO_WORKFLOW, [patch for patch, _ in made]):
                    made = [
                        (said, None) for said in advise(group, signature, failures[0], nowhere, self.catalogue.tables)
                    ]
        made = with_place(made, failures[0].diagnosis.facts.build, self.head)
        return replace(group, fixes=tuple(patch.id for patch in self._numbered(made)))

    def _numbered(self, made: Sequence[tuple[Patch, Draft | None]]) -> list[Patch]:
        first = f"p{len(self.patches) + 1}"
        numbered = []
        for patch, draft in made:
            patch_id = f"p{len(self.patches) + 1}"
            named = replace(patch, id=patch_id, alternative_of="" if patch_id == first else first)
            if draft is not None:
                self.drafts[patch_id] = draft
            self.patches.append(named)
            numbered.append(named)
        return numbered


def _refused_for(reason: str, made: Sequence[Patch]) -> str:
    """The words of the first refusal, where all that would edit something was refused for this reason; else ""."""
    edits = [patch for patch in made if patch.recipe not in _WORDS_ALONE]
    alike = all(one.state is PatchState.REFUSED and one.reason.startswith(reason) for one in edits)
    return edits[0].reason if edits and alike else ""


def _tested_sha(failures: Sequence[Failure]) -> str:
    return next((failure.diagnosis.facts.tested_sha for failure in failures if failure.diagnosis.facts.tested_sha), "")
