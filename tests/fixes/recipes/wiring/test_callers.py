"""Workflows that are called: what their callers hand over, and under which name their jobs fail."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import ContainerOption, GrantPermission

CALLER, CALLED = ".github/workflows/nightly.yml", ".github/workflows/_runner.yml"
HAND = GrantPermission(scope="{scope}", access="{access}")


def repository(container: str = "image: example/train:1", permissions: str = "", inputs: str = "") -> MemoryTree:
    jobs = "".join(
        f"  {name}:\n    uses: ./{CALLED}\n{permissions if name == 'extra' else ''}{inputs}"
        for name in ("core", "extra")
    )
    called = f"on: workflow_call\njobs:\n  run:\n    runs-on: [gpu]\n    container:\n      {container}\n    steps:\n      - run: pytest\n"
    return tree({CALLER: f"on: [push]\njobs:\n{jobs}", CALLED: called})


@pytest.mark.parametrize(
    ("requested", "lines"),
    [
        ("actions: write, issues: read", ["+actions: write", "+contents: read", "+issues: read"]),
        ("packages: read", ["+contents: read", "+packages: read"]),
        ("contents: write", ["+contents: write"]),
    ],
)
def test_a_call_without_any_permissions_gets_those_that_are_asked_for(requested: str, lines: list[str]) -> None:
    scope, _, access = requested.partition(",")[0].partition(": ")
    said = {"scope": scope, "access": access, "requested": requested}
    made = patch(HAND, "extra", CALLER, captures=said, repository=repository())
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+permissions:", *lines]


def test_a_scope_that_github_does_not_know_is_advice() -> None:
    said = {"scope": "actions", "access": "read", "requested": "actions: read, everything: write"}
    assert draft(HAND, "extra", CALLER, captures=said, repository=repository()).state is PatchState.ADVICE


SHM = ContainerOption("--shm-size", "16g", enough="1g")


@pytest.mark.parametrize("job", ["extra", "core", "run", "extra / run"])
def test_the_called_job_under_its_callers_name(job: str) -> None:
    made = patch(SHM, job, CALLED, repository=repository())
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+options: --shm-size=16g"]


def test_a_name_that_no_caller_has_is_none_of_its_jobs() -> None:
    made = draft(SHM, "other", CALLED, repository=repository())
    assert made.state is PatchState.REFUSED
    assert "no job is called `other`" in made.reason
