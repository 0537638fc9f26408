"""Uploads and downloads of one artifact that do not meet."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import Patch, PatchState
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


MADE = ".github/workflows/check.yml"
MAKES = "name: check\non: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/upload-artifact@v4\n        with: {name: pr-number, path: n}\n"
READS = "on:\n  {0}:\n    workflows: [check]\njobs:\n  b:\n    runs-on: x\n    steps:\n      - uses: actions/download-artifact@{1}\n        with:\n          name: pr-number\n{2}"


def other_run(trigger: str, release: str = "v4", more: str = "", makes: str = MAKES) -> Patch:
    there = tree({MADE: makes, OTHER: READS.format(trigger, release, more)})
    step = f"Run actions/download-artifact@{release}"
    return patch(
        MatchArtifact("{artifact}"), "b", OTHER, captures={"artifact": "pr-number"}, repository=there, step=step
    )


OTHER = ".github/workflows/comment.yml"


def test_a_download_from_the_run_that_started_this_one_says_so() -> None:
    made = other_run("workflow_run")
    assert changed(made) == [
        "+run-id: ${{ github.event.workflow_run.id }}",
        "+github-token: ${{ secrets.GITHUB_TOKEN }}",
    ], made.reason


def test_what_is_not_of_another_run_stays() -> None:
    assert other_run("workflow_run", "v3").state is PatchState.ADVICE
    assert other_run("workflow_run", more="          run-id: 7\n").state is PatchState.IN_PLACE
    assert other_run("push").state is PatchState.REFUSED
    assert other_run("workflow_run", makes=MAKES.replace("pr-number", "wheel")).state is PatchState.REFUSED
    assert other_run("workflow_run", makes=MAKES.replace("pr-number", "pr-numbers")).state is PatchState.REFUSED
    assert other_run("workflow_run", makes=MAKES.replace("check", "lint")).state is PatchState.REFUSED
    assert other_run("workflow_run", makes=MAKES.replace("pr-number", "'pr-${{ matrix.a }}'")).state is PatchState.PATCH
