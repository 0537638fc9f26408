"""What an earlier job left in the home of a runner."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import ClearCache

OWN = ".github/workflows/own.yml"
RECIPE = ClearCache("{path}")


def repository(script: str) -> MemoryTree:
    lines = "".join(f"          {line}\n" for line in script.splitlines())
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Test\n        run: |\n{lines}",
            "trainlib/builder.py": 'FOLDER = "~/.cache/trainlib/kernels"\nHUB = "~/.cache/huggingface"\n',
        }
    )


@pytest.mark.parametrize(
    ("script", "path", "expected"),
    [
        ("cd chat\npytest tests", "/root/.cache/trainlib/kernels/a.so", "+rm -rf ~/.cache/trainlib"),
        ("pip install -e .\npytest a\npytest b", "/home/x/.cache/torch_extensions/py311/a/a.so", "+rm -rf ~/.cache/torch_extensions"),
    ],
)  # fmt: skip
def test_it_is_removed_before_the_first_command_that_reads_it(script: str, path: str, expected: str) -> None:
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": path}, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [expected]
    behind = made.diff.split(expected[1:])[1].splitlines()[1].strip()
    assert behind == next(line for line in script.splitlines() if line.startswith("pytest"))


@pytest.mark.parametrize(
    ("script", "path", "state"),
    [
        ("pytest", "/root/.cache/huggingface/hub/a.so", PatchState.REFUSED),
        ("pytest", "/root/.cache/unheard/a.so", PatchState.REFUSED),
        ("pytest", "/opt/env/site-packages/a.so", PatchState.REFUSED),
        ("pytest", "/root/.cache/$(id)/a.so", PatchState.REFUSED),
        ("rm -rf ~/.cache/trainlib\npytest", "/root/.cache/trainlib/a.so", PatchState.IN_PLACE),
        ("echo", "/root/.cache/trainlib/a.so", PatchState.ADVICE),
    ],
)
def test_what_may_hold_more_is_left_alone(script: str, path: str, state: PatchState) -> None:
    made = draft(RECIPE, "unit", OWN, step="Test", captures={"path": path}, repository=repository(script))
    assert made.state is state, made.reason
