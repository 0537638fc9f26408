"""Pinned versions that an index no longer has: which release takes their place, and what moves with it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.dependencies.releases import nearest
from triage.model.patch import PatchState
from triage.model.recipe import PipRelease

CI = ".github/workflows/ci.yml"
RELEASE = PipRelease("{requirement}", "{listed}")
LISTED = "2.5.1, 2.6.0.dev20250104+cpu, 2.6.0, 2.7.0.dev20250106"
TORCH = {"requirement": "torch==2.6.0.dev20241121", "listed": LISTED}


def repository(*commands: str, env: str = "", **files: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in commands)
    ci = f"on: push\n{env}jobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **named}.items()})


@pytest.mark.parametrize(
    ("version", "listed", "release"),
    [
        ("2.6.0.dev20241121", LISTED, "2.6.0"),
        ("2.6.0rc3", "2.5.1, 2.6.0", "2.6.0"),
        ("2.6.0.dev1+cu126", "2.6.0, 2.6.0+cu124, 2.6.0+cu126", "2.6.0+cu126"),
        ("2.6.0.dev1+cu126", "2.6.0, 2.6.0+cu124", ""),
        ("0.14.1", "0.14.0, 0.14.2, 0.14.3, 0.15.0", "0.14.2"),
        ("2.6.0.dev1", "2.6.1, 2.7.0", "2.6.1"),
        # A patch that never came: the last one before it, and of the same build.
        ("4.49.7", "4.48.9, 4.49.0, 4.49.2, 4.50.0", "4.49.2"),
        ("4.49.7", "4.48.9, 4.50.0, 5.49.1", ""),
        ("2.3.110+xpu", "2.3.0, 2.3.100+xpu, 2.4.0+xpu", "2.3.100+xpu"),
        ("2.6.0.dev1", "2.5.1, 2.7.0", ""),
        ("2.6.0", "2.5.1, 2.6.0rc1", ""),
        ("2.6.0.dev1", "", ""),
        ("nightly", "2.6.0", ""),
        ("2.3.110+xpu", "2.3.0, 2.3.100, 2.4.0", ""),
        # A build of a day gives way to the next later one, of the same release and platform alone.
        ("2.0.0.dev20221011", "1.1.1, 2.0.0.dev20220901, 2.0.0.dev20221202, 2.0.0.dev20221120", "2.0.0.dev20221120"),
        ("2.0.0.dev20221011", "2.0.0.dev20220901, 2.1.0.dev20221120", ""),
        ("2.0.0.dev20221011+cu126", "2.0.0.dev20221120+cpu, 2.0.0.dev20221202+cu126", "2.0.0.dev20221202+cu126"),
        ("2.0.0.dev1", "2.0.0.dev20221120", ""),
        # A dot that was left out shows in a number that begins with a nought.
        ("0.04", "0.0.1, 0.0.3, 0.0.4", "0.0.4"),
        ("1.02", "1.0.1, 1.0.2, 10.2", ""),
        ("2.10", "2.0.0, 2.1.0", ""),
    ],
)
def test_the_release_that_it_became_or_the_next_patch(version: str, listed: str, release: str) -> None:
    assert nearest(version, listed.split(", ")) == release


@pytest.mark.parametrize(
    ("tree", "lines"),
    [
        (repository("pip install torch==2.6.0.dev20241121 rich"), ["- run: pip install torch==2.6.0 rich"]),
        (repository('pip install torch=="2.6.0.dev20241121"'), ['- run: pip install torch=="2.6.0"']),
        (
            repository(
                "bash in.sh", in_dot_sh='V=dev20241121\npip install "torch==2.6.0.$V" "torchvision==0.20.0.${V}"\n'
            ),
            ['pip install "torch==2.6.0" "torchvision==0.21.0"'],
        ),
        (
            repository("pip install torch==$TV", env="env:\n  TV: 2.6.0.dev20241121\n"),
            ['TV: "2.6.0"'],
        ),
        (
            repository("pip install -r requirements.txt", requirements_dot_txt="rich\ntorch==2.6.0.dev20241121\n"),
            ["torch==2.6.0"],
        ),
        (
            repository("pip install torch==2.6.0.dev20241121", "pip install torchaudio==2.5.0.dev20241121 rich==1.2"),
            ["- run: pip install torch==2.6.0", "- run: pip install torchaudio==2.6.0 rich==1.2"],
        ),
    ],
    ids=["word", "quoted", "parts", "environment", "file", "another-command"],
)
def test_the_pin_is_found_where_it_stands(tree: MemoryTree, lines: list[str]) -> None:
    proved = patch(RELEASE, "test", CI, repository=tree, captures=TORCH)
    assert proved.state is PatchState.PATCH, proved.reason
    assert [line[1:] for line in changed(proved) if line.startswith("+")] == lines


@pytest.mark.parametrize(
    ("tree", "captures", "words"),
    [
        (
            repository("pip install torch==2.6.0.dev20241121"),
            {**TORCH, "listed": "2.5.1, 2.7.0"},
            "no release of its series",
        ),
        (repository("pip install rich"), TORCH, "names torch"),
        (repository("pip install 'torch>=2.6'"), {"requirement": "torch>=2.6", "listed": "2.5.1"}, "no exact version"),
        (
            repository("pip install torch==2.6.0.dev1 torchaudio==2.6.0.dev1"),
            {"requirement": "torch==2.6.0.dev1", "listed": "2.6.1"},
            "torchaudio fits it is not known",
        ),
        (
            repository("pip install torch==2.6.0.dev1 torchvision==0.20.0.dev1"),
            {"requirement": "torchvision==0.20.0.dev1", "listed": "0.20.9"},
            "torch fits it is not known",
        ),
        (repository("pip install torch==2.6.0"), TORCH, "look elsewhere"),
    ],
    ids=["no-release", "unnamed", "no-pin", "companion-unknown", "base-unknown", "done"],
)
def test_near_misses_change_nothing(tree: MemoryTree, captures: dict[str, str], words: str) -> None:
    found = draft(RELEASE, "test", CI, repository=tree, captures=captures)
    assert not found.edits
    assert words in found.reason
