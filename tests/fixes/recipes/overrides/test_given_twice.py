"""Overrides that a call gets as keywords which the code passes itself: those go, and no others."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import RemoveGivenTwice

TRAIN = ".github/workflows/train.yml"
RECIPE = RemoveGivenTwice("{name}", "{callee}")
CODE = "def build(hf, more):\n    return to_config(hf, loss=0.0, rate=0.001, **more)\n"
SCRIPT = """python3 -m pkg.main \\
    actor.size=2 \\
    +actor.more.loss=0.1 \\
    +actor.more.rate=0.0 \\
    +actor.more.layers=2 \\
    critic.rate=1
"""


def repository(code: str = CODE, script: str = SCRIPT) -> MemoryTree:
    workflow = "on: push\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - run: bash tests/run.sh\n"
    return tree({TRAIN: workflow, "tests/run.sh": script, "pkg/model.py": code})


def made(repository: MemoryTree, name: str = "loss") -> Patch:
    captures = {"name": name, "callee": "pkg.model.to_config"}
    return patch(RECIPE, "train", TRAIN, captures=captures, repository=repository)


def test_all_that_the_call_passes_itself_goes() -> None:
    found = made(repository())
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-+actor.more.loss=0.1 \\", "-+actor.more.rate=0.0 \\"]


@pytest.mark.parametrize(
    ("code", "script", "name", "state", "reason"),
    [
        (CODE.replace(", **more", ""), SCRIPT, "loss", PatchState.REFUSED, "no call of to_config"),
        (CODE, SCRIPT, "layers", PatchState.REFUSED, "no call of to_config"),
        (CODE, SCRIPT.replace("+actor.more.loss", "actor.more.loss"), "loss", PatchState.ADVICE, "remove one of the two"),
        (CODE, "python3 -m pkg.main +actor.more.layers=2\n", "loss", PatchState.IN_PLACE, "no command of train sets"),
        ("def build(:\n    to_config(loss=1, **more)\n", SCRIPT, "loss", PatchState.REFUSED, "no call of to_config"),
    ],
)  # fmt: skip
def test_when_nothing_is_touched(code: str, script: str, name: str, state: PatchState, reason: str) -> None:
    found = made(repository(code, script), name)
    assert (found.state, reason in found.reason) == (state, True), found.reason
