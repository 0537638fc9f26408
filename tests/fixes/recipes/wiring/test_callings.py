from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow(file="{file}")
ONE, TWO, CALLED = (f".github/workflows/{name}.yml" for name in ("one", "two", "_train"))
GIVEN = "    secrets:\n      TOKEN: ${{ secrets.TOKEN }}\n"
DECLARED = (
    "on:\n  workflow_call:\n    inputs:\n      runner:\n        type: string\n        required: true\n"
    "    secrets:\n      TOKEN:\n        required: true\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: 'true'\n"
)


def calling(given: str = "", inputs: str = "    with:\n      runner: gpu-8\n", on: str = "push") -> str:
    return f"on: {on}\njobs:\n  train:\n    uses: ./{CALLED}\n{inputs}{given}"


def repository(one: str, two: str = calling(GIVEN)) -> MemoryTree:
    return tree({ONE: one, TWO: two, CALLED: DECLARED})


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        (calling(), ["+secrets:", "+TOKEN: ${{ secrets.TOKEN }}"]),
        (calling("    secrets:\n      OTHER: ${{ secrets.OTHER }}\n"), ["+TOKEN: ${{ secrets.TOKEN }}"]),
        (calling(GIVEN, inputs=""), ["+with:", "+runner: gpu-8"]),
        (calling(GIVEN, inputs="    with:\n      runners: gpu-4\n"), ["-runners: gpu-4", "+runner: gpu-4"]),
    ],
)
def test_what_the_called_workflow_demands_is_handed_over_as_others_do(one: str, wanted: list[str]) -> None:
    proved = patch(REPAIR, "train", ONE, repository=repository(one))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == wanted


@pytest.mark.parametrize(
    ("one", "two", "state"),
    [
        (calling(on="pull_request_target"), calling(GIVEN), PatchState.ADVICE),  # strangers would get the secret
        (calling(), "on: push\njobs: {}\n", PatchState.REFUSED),  # the repository has no such secret
        (calling("    secrets: inherit\n"), calling(GIVEN), PatchState.REFUSED),  # nothing is lacking
        (calling(GIVEN, inputs="    with: {runner: a, size: 8}\n"), calling(GIVEN), PatchState.REFUSED),
    ],
)
def test_what_the_tree_does_not_say_is_not_handed_over(one: str, two: str, state: PatchState) -> None:
    assert draft(REPAIR, "train", ONE, repository=repository(one, two)).state is state


def test_inputs_that_stand_beside_their_list_are_put_into_it() -> None:
    beside = "on:\n  workflow_dispatch:\n    version:\n      type: choice\n      options:\n        - all\njobs:\n"
    made = tree({ONE: beside + "  a:\n    runs-on: x\n    steps:\n      - run: 'true'\n"})
    proved = patch(REPAIR, "a", ONE, repository=made)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert "+inputs:" in changed(proved)
    assert "+      version:" in proved.diff


@pytest.mark.parametrize(
    "written",
    ["${{ needs.setup.outputs.r }}", "${{ matrix.r }}", "${{ inputs.r }}", "${{ github.event.inputs.r }}"],
)
def test_what_another_call_reads_of_its_own_surroundings_is_not_handed_over(written: str) -> None:
    """It would be empty here."""
    other = calling(GIVEN, inputs=f"    with:\n      runner: {written}\n")
    proved = patch(REPAIR, "train", ONE, repository=repository(calling(GIVEN, inputs=""), other))
    assert proved.state is PatchState.REFUSED
    assert "means nothing in train" in proved.reason


def test_a_called_workflow_hands_on_only_secrets_that_it_declares() -> None:
    bare = calling(on="\n  workflow_call:")
    refused = patch(REPAIR, "train", ONE, repository=repository(bare))
    assert refused.state is PatchState.REFUSED
    given = calling(on="\n  workflow_call:\n    secrets:\n      TOKEN:\n        required: true")
    assert patch(REPAIR, "train", ONE, repository=repository(given)).state is PatchState.PATCH


def waiting(need: str, other: str, behind: str = "", says: str = "a") -> MemoryTree:
    job = "  {}:\n{}    runs-on: x\n    steps:\n      - run: echo {}\n"
    before = f"    needs: [{behind}]\n" if behind else ""
    text = job.format(other, before, "a") + job.format("unit", f"    needs: [{need}]\n", says)
    return tree({ONE: f"on: push\njobs:\n{text}"})


@pytest.mark.parametrize(
    ("need", "other", "behind"),
    [
        ("build-wheel", "build-wheels", "unit"),  # each would wait for the other
        ("build-gpu", "build-cpu", ""),
        ("build-1", "build-2", ""),
    ],
)
def test_a_job_that_waits_itself_or_is_another_one_is_not_needed(need: str, other: str, behind: str) -> None:
    assert patch(REPAIR, "unit", ONE, repository=waiting(need, other, behind)).state is PatchState.REFUSED


def test_a_job_read_in_brackets_is_read_too() -> None:
    read = "${{ needs['build-wheel'].result }}"
    made = patch(REPAIR, "unit", ONE, repository=waiting("build-wheel", "build-wheels", says=read))
    assert "+- run: echo ${{ needs['build-wheels'].result }}" in changed(made), made.reason
    gone = patch(REPAIR, "unit", ONE, repository=waiting("build, gone", "build", says="${{ needs['gone'].result }}"))
    assert gone.state is PatchState.REFUSED
