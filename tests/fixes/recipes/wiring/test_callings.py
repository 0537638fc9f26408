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
