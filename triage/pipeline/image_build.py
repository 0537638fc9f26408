"""Where the build of an image failed: said beside advice, which is mostly about the job around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from triage.interfaces import Tree
from triage.model.diagnosis import BuildStep
from triage.model.patch import Draft, Patch, PatchState

_Drafted = TypeVar("_Drafted", bound=Draft | None)


def with_place(
    made: Sequence[tuple[Patch, _Drafted]], build: BuildStep | None, tree: Tree | None
) -> list[tuple[Patch, _Drafted]]:
    """The first choice, where it is advice, with a note that names the Dockerfile and its line. A patch edits that file
    itself, and shows so."""
    listed = list(made)
    if build is None or not listed or listed[0][0].state is not PatchState.ADVICE:
        return listed
    first, draft = listed[0]
    note = f"the build of an image failed, {_place(build, tree)}: what it lacks belongs there, not into the job's steps"
    return [(replace(first, notes=(note, *first.notes)), draft), *listed[1:]]


def _place(build: BuildStep, tree: Tree | None) -> str:
    """By the tree where it holds the instruction, else as far as the log tells."""
    if tree is not None:
        from triage.fixes.document import line_of
        from triage.fixes.recipes.builds.building import Failed, locate_build

        found = locate_build(tree, build, ())
        if isinstance(found, Failed):
            return f"at {found.path}:{line_of(tree.read(found.path), found.instruction.named)}"
    name = build.dockerfile or "the Dockerfile"
    if build.dockerfile and build.lines:
        return f"at {name}:{min(build.lines)} by the log"
    return f"in {name}"
