"""A value that the configuration demands: copied from scripts of the same folder that agree, and placed beside its like."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TRAIN, changed, hydra_job, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import CopyOverride

RECIPE = CopyOverride("{key}")
SCRIPT = """python3 -m pkg.main \\
    actor.lr=1 \\
    rollout.n=4 \\
    rollout.kwargs.top=2 \\
    trainer.epochs=1
"""


CONFIG = "actor:\n  lr: 1\nrollout:\n  name: ???\n  n: 1\n  kwargs:\n    top: 1\ntrainer:\n  epochs: 1\n"


def repository(script: str = SCRIPT, **siblings: str) -> MemoryTree:
    return hydra_job(script, CONFIG, {f"{name}.sh": text for name, text in siblings.items()}, path="runs/small.sh")


def made(repository: MemoryTree, key: str = "rollout.name") -> Patch:
    return patch(RECIPE, "train", TRAIN, captures={"key": key}, repository=repository)


LARGE = "python3 -m pkg.main rollout.name=vllm\n"


def test_it_stands_behind_the_last_of_those_that_it_has_most_in_common_with() -> None:
    found = made(repository(**{"runs/large": LARGE, "runs/other": LARGE}))
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["+rollout.name=vllm \\"]
    assert " rollout.kwargs.top=2 \\\n+    rollout.name=vllm \\\n" in found.diff
    assert any("runs/large.sh, runs/other.sh" in note for note in found.notes)


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("python3 -m pkg.main \\\n    rollout.n=4\n", ["-rollout.n=4", "+rollout.n=4 \\", "+rollout.name=vllm"]),
        ('given=(\n    rollout.n=4\n)\npython3 -m pkg.main "${given[@]}" "$@"\n', ["+rollout.name=vllm"]),
        (
            "python3 -m pkg.main rollout.n=4 2>&1 | tee log\n",
            ["-python3 -m pkg.main rollout.n=4 2>&1 | tee log", "+python3 -m pkg.main rollout.n=4 rollout.name=vllm 2>&1 | tee log"],
        ),
    ],
)  # fmt: skip
def test_it_is_written_as_the_command_is(script: str, lines: list[str]) -> None:
    found = made(repository(script, **{"runs/large": LARGE}))
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == lines


@pytest.mark.parametrize(
    ("siblings", "script", "key", "state", "reason"),
    [
        ({}, SCRIPT, "rollout.name", PatchState.ADVICE, "siblings set nothing"),
        ({"runs/a": LARGE, "runs/b": LARGE.replace("vllm", "sglang")}, SCRIPT, "rollout.name", PatchState.ADVICE, "sglang, vllm"),
        # Of another program, of another folder, and a value that another variable decides.
        ({"runs/a": LARGE.replace("pkg.main", "pkg.other")}, SCRIPT, "rollout.name", PatchState.ADVICE, "nothing"),
        ({"more/a": LARGE}, SCRIPT, "rollout.name", PatchState.ADVICE, "nothing"),
        ({"runs/a": LARGE.replace("vllm", "$NAME")}, SCRIPT, "rollout.name", PatchState.ADVICE, "nothing"),
        ({"runs/a": LARGE}, LARGE, "rollout.name", PatchState.IN_PLACE, "sets `rollout.name`"),
        ({"runs/a": LARGE}, SCRIPT, "name", PatchState.REFUSED, "no key by its path"),
        ({"runs/a": LARGE}, "python3 -m elsewhere x=1\n", "rollout.name", PatchState.REFUSED, "whose configuration"),
    ],
)  # fmt: skip
def test_when_nothing_is_touched(
    siblings: dict[str, str], script: str, key: str, state: PatchState, reason: str
) -> None:
    found = made(repository(script, **siblings), key)
    assert (found.state, reason in found.reason) == (state, True), found.reason
