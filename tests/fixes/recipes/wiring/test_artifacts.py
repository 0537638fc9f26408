"""Uploads and downloads of one artifact that do not meet."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import MatchArtifact

OWN = ".github/workflows/own.yml"
RECIPE = MatchArtifact(artifact="{artifact}")
BUILD = "  build:\n    runs-on: [cpu]\n{}    steps:\n      - run: make\n      - uses: {}\n        with:\n          name: {}\n"
TEST = "  test:\n{}    runs-on: [gpu]\n    steps:\n      - name: Get\n        uses: {}\n        with:\n          name: {}\n"


def repository(
    up: str = "actions/upload-artifact@v4",
    down: str = "actions/download-artifact@v4",
    *,
    names: tuple[str, str] = ("wheel", "wheel"),
    needs: str = "    needs: build\n",
    matrix: str = "",
) -> MemoryTree:
    jobs = BUILD.format(matrix, up, names[0]) + TEST.format(needs, down, names[1])
    return tree({OWN: f"on: [push]\njobs:\n{jobs}  docs:\n    runs-on: [cpu]\n    steps: [{{run: make docs}}]\n"})


MATRIX = "    strategy:\n      matrix:\n        python: ['3.11', '3.12']\n"


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        (repository(down="actions/download-artifact@v3"), "+uses: actions/download-artifact@v4"),
        (repository(down="actions/download-artifact@v3.0.2"), "+uses: actions/download-artifact@v4"),
        (repository("actions/upload-artifact@v3"), "+- uses: actions/upload-artifact@v4"),
        (repository(names=("train-wheel", "train_wheel")), "+name: train-wheel"),
        (
            repository(names=("${{ github.sha }}-wheels", "${{ github.sha }}-wheel")),
            '+name: "${{ github.sha }}-wheels"',
        ),
        (repository(needs=""), "+needs: build"),
        (repository(needs="    needs: docs\n"), "+needs: [docs, build]"),
        (repository(needs="    needs: [docs]\n"), "+needs: [docs, build]"),
        (repository(needs="    needs:\n      - docs\n"), "+- build"),
    ],
)
def test_the_two_sides_of_an_artifact_come_to_agree(there: MemoryTree, wanted: str) -> None:
    made = patch(RECIPE, "test", OWN, step="Get", captures={"artifact": "wheel"}, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made)[-1] == wanted


@pytest.mark.parametrize(
    ("there", "state"),
    [
        (repository(), PatchState.IN_PLACE),
        # Each cell of the matrix would upload the same name; a name that only the other job's matrix can fill.
        (repository("actions/upload-artifact@v3", matrix=MATRIX), PatchState.ADVICE),
        (repository(names=("wheel-${{ matrix.python }}", "wheel-3.12"), matrix=MATRIX), PatchState.ADVICE),
        (repository(names=("logs", "wheel")), PatchState.ADVICE),
        (repository(up="example/keep@v1"), PatchState.REFUSED),
        (repository(down="actions/download-artifact@main"), PatchState.REFUSED),
    ],
)
def test_what_meets_or_may_be_meant_otherwise_is_left(there: MemoryTree, state: PatchState) -> None:
    assert draft(RECIPE, "test", OWN, step="Get", captures={"artifact": "wheel"}, repository=there).state is state
