"""A change as the gates see it, from an edit of one file of the made-up repository."""

from __future__ import annotations

from dataclasses import replace

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import REPOSITORY, TABLES, TRAIN
from triage.fixes import Target
from triage.fixes.document import unified_diff
from triage.fixes.overlay import Overlay
from triage.gates.change import Change
from triage.gates.commands import job_runs
from triage.model.diagnosis import Facts
from triage.model.patch import Draft, Edit, Expectation, Patch, PatchState
from triage.model.signature import Applicability

EMPTY = Draft("made up", "env", PatchState.PATCH, Applicability.UNSAFE)


def edit(path: str, old: str, new: str, repository: MemoryTree = REPOSITORY) -> Edit:
    at = repository.read(path).index(old.encode())
    return Edit(path, at, at + len(old.encode()), new.encode(), "because")


def change(
    path: str,
    old: str,
    new: str,
    *,
    declared: tuple[str, ...] = (),
    promises: tuple[Expectation, ...] = (),
    job: str = "rocm_small",
    repository: MemoryTree = REPOSITORY,
) -> Change:
    one = edit(path, old, new, repository)
    before = repository.read(path)
    after = before[: one.start] + one.new + before[one.end :]
    draft = replace(EMPTY, edits=(one,), declared=declared, expectations=promises)
    made, target = Overlay(repository, {path: after}), Target(TRAIN, job)
    diff = unified_diff(path, before, after)
    runs = job_runs(draft, repository, made, target, Facts())
    return Change(draft, repository, made, {path: before}, {path: after}, diff, target, Facts(), TABLES, runs)


def gate(patch: Patch, name: str) -> str:
    return next(one.status.value for one in patch.gates if one.name == name)
