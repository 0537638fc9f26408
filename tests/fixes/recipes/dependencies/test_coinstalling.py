"""What is built for one release of another: named beside it where the job pins that one last."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
PAIR = PipInstall(distribution="torchvision", coinstall="torch")


def repository(*commands: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in commands)
    return tree({CI: f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"})


@pytest.mark.parametrize(
    ("command", "new"),
    [
        ("pip install torch==2.6.0", "pip install torch==2.6.0 torchvision==0.21.0"),
        ("pip install torch==2.6.0+cpu x", "pip install torch==2.6.0+cpu torchvision==0.21.0+cpu x"),
        (
            "if true; then pip install torch==2.6.1; fi",
            "if true; then pip install torch==2.6.1 torchvision==0.21.1; fi",
        ),
        ('pip install torch -i "$URL"', 'pip install torch torchvision -i "$URL"'),
        (
            'pip install --pre torch --index-url "${{ matrix.index }}"',
            'pip install --pre torch torchvision --index-url "${{ matrix.index }}"',
        ),
        ("pip install torch==9.9.9", "pip install torch==9.9.9 torchvision"),
    ],
)
def test_the_companion_comes_in_the_command_that_decides_the_base(command: str, new: str) -> None:
    proved = patch(PAIR, "test", CI, repository=repository("pip install train", command, "pip install tests"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == f"+- run: {new}"


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (("pip install --no-deps torch",), "name the torchvision of the same release beside it"),
        (("pip install torch", "pip install torchvision==0.1"), f"{CI}:7 says torchvision==0.1"),
        (("pip install torch==2.6.0", "pip install torchvision"), f"{CI}:7 says torchvision"),
        (("pip install torchvision==0.1", "pip install torch==2.6.0"), f"{CI}:6 says torchvision==0.1"),
        (("pip install train",), "the log lists torch 2.6.0, for which torchvision==0.21.0 is built"),
    ],
)
def test_what_is_not_certain_is_said(commands: tuple[str, ...], said: str) -> None:
    made = draft(PAIR, "test", CI, repository=repository(*commands), facts=Facts(installed={"torch": "2.6.0+cu1"}))
    assert made.state is PatchState.ADVICE
    assert said in made.reason


@pytest.mark.parametrize("command", ["pip install torch==2.6.0 torchvision==0.21.0", "pip install torch torchvision"])
def test_a_pair_that_one_command_decides_is_in_place(command: str) -> None:
    there = repository(command)
    assert draft(PAIR, "test", CI, repository=there).state is PatchState.IN_PLACE
