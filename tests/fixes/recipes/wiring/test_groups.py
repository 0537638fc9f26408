"""Concurrency groups that all pull requests share."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairGroup

OWN = ".github/workflows/own.yml"
RECIPE, SAID = RepairGroup(group="{group}"), {"group": "ci-refs/heads/main"}
PARTED = "github.event.pull_request.number || github.ref"


def repository(on: str, concurrency: str, job: str = "") -> MemoryTree:
    inner = f"\n    concurrency: {job}" if job else ""
    block = f"concurrency: {concurrency}\n" if concurrency else ""
    return tree(
        {OWN: f"on: {on}\n{block}jobs:\n  test:\n    runs-on: [gpu-8]{inner}\n    steps:\n      - run: pytest\n"}
    )


@pytest.mark.parametrize(
    ("on", "group", "expected"),
    [
        ("[pull_request_target]", "${{ github.workflow }}-${{ github.ref }}", "${{ github.workflow }}-${{ %s }}"),
        ("[push, pull_request_target]", "ci-${{ github.ref || github.run_id }}", "ci-${{ %s }}"),
        ("{pull_request: {branches: [main]}}", "gpu", "gpu-${{ %s }}"),
        ("pull_request", "${{ github.workflow }}", "${{ github.workflow }}-${{ %s }}"),
        ("[pull_request]", "ci-${{ github.base_ref }}", "ci-${{ github.base_ref }}-${{ %s }}"),
    ],
)
def test_the_number_of_the_pull_request_comes_into_the_group(on: str, group: str, expected: str) -> None:
    there = repository(on, f"\n  group: {group}\n  cancel-in-progress: true")
    made = patch(RECIPE, "test", OWN, captures=SAID, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+group: {expected % PARTED}"
    alone = patch(RECIPE, "test", OWN, captures=SAID, repository=repository(on, "", f'"{group}"'))
    assert changed(alone)[1] == f'+concurrency: "{expected % PARTED}"'


@pytest.mark.parametrize(
    ("on", "group", "state"),
    [
        # A newer push of the same branch: that is what the group is for.
        ("[pull_request]", "${{ github.workflow }}-${{ github.ref }}", PatchState.REFUSED),
        ("[pull_request_target]", "ci-${{ github.head_ref || github.run_id }}", PatchState.REFUSED),
        ("[pull_request_target]", "ci-${{ github.event.pull_request.number }}", PatchState.REFUSED),
        ("[push]", "deploy", PatchState.REFUSED),
        ("[schedule, workflow_dispatch]", "nightly", PatchState.REFUSED),
    ],
)
def test_a_group_that_does_what_it_should_is_left_alone(on: str, group: str, state: PatchState) -> None:
    there = repository(on, f"\n  group: {group}\n  cancel-in-progress: true")
    assert draft(RECIPE, "test", OWN, captures=SAID, repository=there).state is state


def test_without_a_group_in_the_log_or_in_the_tree_nothing_is_done() -> None:
    assert draft(RECIPE, "test", OWN, repository=repository("[pull_request]", "gpu")).state is PatchState.REFUSED
    assert draft(RECIPE, "test", OWN, captures=SAID, repository=repository("push", "")).state is PatchState.REFUSED


GROUP = "${{ github.workflow }}-${{ github.head_ref }}"
JOB = "  {}:\n    runs-on: [cpu]\n{}    concurrency:\n      group: {}\n{}    steps: [{{run: make}}]\n"
CANCELS = "      cancel-in-progress: true\n"


def jobs(*written: tuple[str, str, str, str]) -> MemoryTree:
    return tree({OWN: "on: [pull_request]\njobs:\n" + "".join(JOB.format(*one) for one in written)})


def test_jobs_of_one_run_in_one_group_get_one_each() -> None:
    there = jobs(
        ("test", "", GROUP, CANCELS), ("docs", "", GROUP, CANCELS), ("late", "    needs: test\n", GROUP, CANCELS)
    )
    made = patch(RECIPE, "test", OWN, captures=SAID, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [
        f"+group: {GROUP}-{name}" for name in ("test", "docs", "late")
    ]


def test_cells_of_a_matrix_in_one_group_get_one_each() -> None:
    matrix = "    strategy:\n      matrix:\n        model: [small, large]\n"
    made = patch(RECIPE, "test", OWN, captures=SAID, repository=jobs(("test", matrix, GROUP, CANCELS)))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+group: {GROUP}-${{{{ strategy.job-index }}}}"


@pytest.mark.parametrize(
    "written",
    [
        # One waits for the other; nothing is cancelled while it runs; the groups differ; the matrix tells them apart.
        (("test", "", GROUP, CANCELS), ("docs", "    needs: test\n", GROUP, CANCELS)),
        (("test", "", GROUP, ""), ("docs", "", GROUP, "")),
        (("test", "", GROUP, CANCELS), ("docs", "", f"{GROUP}-docs", CANCELS)),
        (("test", "    strategy: {matrix: {m: [1, 2]}}\n", GROUP + "-${{ matrix.m }}", CANCELS),),
    ],
)
def test_jobs_that_do_not_cancel_each_other_keep_their_group(written: tuple[tuple[str, str, str, str], ...]) -> None:
    assert draft(RECIPE, "test", OWN, captures=SAID, repository=jobs(*written)).state is PatchState.REFUSED
