"""A job that GitHub's own runner was too small for."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyRunner

OWN = ".github/workflows/own.yml"


def repository(own: str, *others: str) -> MemoryTree:
    jobs = "".join(f"  job{at}:\n    runs-on: {one}\n    steps:\n      - run: make\n" for at, one in enumerate(others))
    return tree({OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: {own}\n    steps:\n      - run: pytest\n{jobs}"})


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (
            ["{group: aws-general-8-plus}", "\n      group: aws-general-8-plus"],
            ["+runs-on:", "+group: aws-general-8-plus"],
        ),
        (["[self-hosted, cpu-large]"], ["+runs-on: [self-hosted, cpu-large]"]),
        (["cpu-32-core", "{group: aws-g6-4xlarge-plus}", "gpu-large", "windows-latest"], ["+runs-on: cpu-32-core"]),
        (["{group: pool, labels: [big-mem]}"], ["+runs-on:", "+group: pool", "+labels: big-mem"]),
    ],
)
def test_the_one_larger_machine_of_the_siblings_is_taken(others: list[str], expected: list[str]) -> None:
    made = patch(CopyRunner(), "unit", OWN, repository=repository("ubuntu-latest", *others))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected


@pytest.mark.parametrize(
    ("own", "others", "state"),
    [
        ("ubuntu-latest", ["gpu-large", "{group: aws-p4d-24xlarge}", "[a100-large]"], PatchState.REFUSED),
        ("ubuntu-latest", ["cpu-large", "cpu-small-core"], PatchState.ADVICE),
        ("ubuntu-latest", ["${{ inputs.large }}", "pool"], PatchState.REFUSED),
        ("[self-hosted, pool]", ["cpu-large"], PatchState.REFUSED),
        ("cpu-large", ["cpu-large"], PatchState.REFUSED),
    ],
)
def test_no_machine_is_chosen_by_chance(own: str, others: list[str], state: PatchState) -> None:
    assert draft(CopyRunner(), "unit", OWN, repository=repository(own, *others)).state is state
