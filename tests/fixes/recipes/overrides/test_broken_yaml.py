"""YAML files that lost a comma or a blank."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairConfig

OWN, FILE = ".github/workflows/own.yml", "configs/small.yaml"
RECIPE = RepairConfig("{file}")
SAID = {"file": "/work/train/configs/small.yaml"}


def repository(text: str) -> MemoryTree:
    job = "jobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - run: python train.py --config configs/small.yaml\n"
    return tree({OWN: f"on: [push]\n{job}", FILE: text})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lora:\n  rank:16\n  alpha: 16\n", "+rank: 16"),
        ('{\n  # where\n  "load": "a"\n  "tune": true,\n  "size": 1\n}\n', '+"load": "a",'),
    ],
)
def test_the_comma_or_the_blank_comes_back(text: str, expected: str) -> None:
    made = patch(RECIPE, "train", OWN, captures=SAID, repository=repository(text))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == expected


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("lora:\n  rank: 16\n", PatchState.IN_PLACE),
        ("lora:\n  rank: 'a\n", PatchState.REFUSED),  # a quote
        ("lora:\n\trank: 16\n", PatchState.REFUSED),
        ("lora:\n  rank:16\n  alpha:16\n  beta: 1\n", PatchState.REFUSED),  # two
    ],
)
def test_another_slip_is_left(text: str, state: PatchState) -> None:
    assert draft(RECIPE, "train", OWN, captures=SAID, repository=repository(text)).state is state


FAR = (
    '{\n  "load": "a"\n  "tune": true,\n'
    + "".join(f'  "{one}": 1,\n' for one in "bcdefgh")
    + '  "cpu": false\n  "from": 1\n}\n'
)


def test_every_comma_that_the_reader_runs_into_comes_back() -> None:
    made = patch(RECIPE, "train", OWN, captures=SAID, repository=repository(FAR))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == ['+"load": "a",', '+"cpu": false,']


def test_of_two_slips_one_that_cannot_be_told_leaves_both() -> None:
    torn = FAR.replace('"from": 1', '"from": "1')
    assert draft(RECIPE, "train", OWN, captures=SAID, repository=repository(torn)).state is PatchState.REFUSED
