"""Flags that a program of the repository does not know (any more)."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairFlag

TRAIN = ".github/workflows/train.yml"


def repository(arguments: str) -> MemoryTree:
    return tree(
        {
            TRAIN: f"""
                on: [push]
                jobs:
                  train:
                    runs-on: [gpu-8]
                    steps:
                      - name: Train
                        run: |
                          torchrun --nproc_per_node=2 tools/train.py {arguments}
                      - name: Serve
                        run: vllm serve model --enforce_eager
            """,
            "tools/train.py": """
                import argparse
                from tools.options import add_options
                parser = argparse.ArgumentParser()
                parser.add_argument("-m", "--model-path", default="")
                parser.add_argument("--max-steps", type=int)
            """,
            "tools/options.py": 'def add_options(parser):\n    parser.add_argument("--learning-rate")\n',
        }
    )


@pytest.mark.parametrize(
    ("arguments", "captured", "expected"),
    [
        ("--model_path x", "--model_path x", "--model-path x"),
        ("--model-path x --max-step 3 | tee o", "--max-step 3", "--max-steps 3"),
        ("--learning_rate=${LR}", "['--learning_rate', '1e-5']", "--learning-rate=${LR}"),
    ],
)
def test_the_flag_takes_the_name_that_the_program_declares(arguments: str, captured: str, expected: str) -> None:
    made = patch(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": captured}, repository=repository(arguments)
    )
    assert made.state is PatchState.PATCH, made.reason
    assert expected in changed(made)[1]


@pytest.mark.parametrize(
    ("arguments", "captured", "reason"),
    [
        ("--device cuda", "--device cuda", "declares no one flag that resembles it"),
        ("--model_path x --model-path y", "--model_path", "passes --model_path and --model-path: remove the first"),
        ("--max-steps 3", "--max-steps", "tools/train.py knows --max-steps"),
        ("--max-steps 3", "--enforce_eager", "the program is not in the tree"),
        ("--max-steps 3", "--unheard-of", "no command of train passes --unheard-of"),
        ("--max-steps 3", "positional", "does not say which flag"),
    ],
)
def test_without_one_flag_alike_nothing_is_edited(arguments: str, captured: str, reason: str) -> None:
    made = draft(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": captured}, repository=repository(arguments)
    )
    assert made.state is not PatchState.PATCH
    assert reason in made.reason
