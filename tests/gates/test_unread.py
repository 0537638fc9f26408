from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import TRAIN
from tests.gates.change_of import change
from triage.gates.unread import unread
from triage.model.patch import Expectation

CONFIG = "configs/7b.yaml"
KEY = "gradient_accumulation_steps"
PROMISE = Expectation("value", f"{KEY}=8", "train", CONFIG)


def handing(
    files: dict[str, str], command: str = f"torchrun --nproc-per-node=4 train.py --config {CONFIG}"
) -> MemoryTree:
    job = f"on: push\njobs:\n  train:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {command}\n"
    return tree({TRAIN: job, CONFIG: f"{KEY}: 4\n", **files})


def script_of(repository: MemoryTree) -> str:
    return unread(change(CONFIG, "4", "8", job="train", repository=repository, promises=(PROMISE,)), PROMISE)


PLAIN = "import argparse, yaml\nimport torch\nprint(yaml.safe_load(open('x')))\n"


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": PLAIN},
        {"train.py": f"{PLAIN}from steps import run\n", "steps.py": "import os\n"},
        {"train.py": f"{PLAIN}from .steps import run\n", "steps.py": "import os\n"},
    ],
)
def test_a_key_that_nothing_in_the_program_names_is_not_read(files: dict[str, str]) -> None:
    assert script_of(handing(files)) == "train.py"


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": f"{PLAIN}steps = c['{KEY}']\n"},
        {"train.py": f"{PLAIN}from steps import run\n", "steps.py": f"def run(c): return c.{KEY}\n"},
        # A framework may read any key.
        {"train.py": f"{PLAIN}from transformers import HfArgumentParser\n"},
        {"train.py": f"{PLAIN}def main():\n    import trl\n"},
        {"train.py": f"{PLAIN}from steps import run\n", "steps.py": "import hydra\n"},
        {"train.py": "this is no Python("},
    ],
)
def test_what_may_read_it_is_not_held_against_the_change(files: dict[str, str]) -> None:
    assert script_of(handing(files)) == ""


def test_another_program_s_file_says_nothing() -> None:
    assert script_of(handing({"train.py": PLAIN}, "python train.py --config other.yaml")) == ""
    assert script_of(handing({}, f"axolotl train {CONFIG}")) == ""
