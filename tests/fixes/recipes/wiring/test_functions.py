"""Functions that GitHub's expressions do not have, and those that get too little."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

OWN = ".github/workflows/own.yml"


def repository(run: str, machine: str = "ubuntu-24.04", more: str = "") -> MemoryTree:
    step = f"      - name: Check\n{more}        run: {run}\n"
    return tree({OWN: f"on: push\njobs:\n  unit:\n    runs-on: {machine}\n    steps:\n{step}"})


@pytest.mark.parametrize(
    ("run", "machine", "more", "expected"),
    [
        (
            "ruff check --target-version py${{ replace(matrix.target, '.', '') }}",
            "ubuntu-24.04",
            "",
            ["-run: ruff check --target-version py${{ replace(matrix.target, '.', '') }}", "+env:", "+TARGET: ${{ matrix.target }}", "+run: ruff check --target-version py${TARGET//./}"],
        ),
        (
            "docker push ghcr.io/${{ toLower(github.repository) }}",
            "[self-hosted, linux]",
            "        env:\n          A: b\n",
            ["-run: docker push ghcr.io/${{ toLower(github.repository) }}", "+REPOSITORY: ${{ github.repository }}", "+run: docker push ghcr.io/${REPOSITORY,,}"],
        ),
    ],
)  # fmt: skip
def test_what_a_shell_does_as_well_is_left_to_it(run: str, machine: str, more: str, expected: list[str]) -> None:
    made = patch(RepairWorkflow(), "unit", OWN, repository=repository(run, machine, more))
    assert (made.state, changed(made)) == (PatchState.PATCH, expected), made.reason


@pytest.mark.parametrize(
    ("run", "machine", "reason"),
    [
        ("echo ${{ split(matrix.target, '.') }}", "ubuntu-24.04", "no function `split`"),
        ("echo '${{ lower(matrix.target) }}'", "ubuntu-24.04", "no function `lower`"),
        ("echo ${{ lower(matrix.target) }}", "windows-2022", "no function `lower`"),
        ("echo ${{ lower(matrix.target) }}", "${{ matrix.os }}", "no function `lower`"),
        ("echo ${{ contains(github.event.pull_request.labels.*.name) }}", "ubuntu-24.04", "takes two arguments"),
    ],
)
def test_else_it_says_what_github_does_not_know(run: str, machine: str, reason: str) -> None:
    made = draft(RepairWorkflow(), "unit", OWN, repository=repository(run, machine))
    assert (made.state, reason in made.reason) == (PatchState.REFUSED, True), made.reason


def test_functions_that_there_are_and_texts_are_left_alone() -> None:
    run = "echo ${{ contains(fromJSON('[1]'), 1) && hashFiles('**/lower(x)') || format('{0}', github.ref) }}"
    made = draft(RepairWorkflow(), "unit", OWN, repository=repository(run))
    assert "function" not in made.reason
