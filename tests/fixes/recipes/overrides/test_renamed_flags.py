"""Flags that are called otherwise now, or that are one too many."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import ReplaceFlags

JOB = ".github/workflows/own.yml"
RULES = ("--enable-parts => --parts-size {size}", "--enable-quick => --backend quick", "--drop-me => ")
NAMED = ReplaceFlags(RULES, flags="{argument}")
ONE_TOO_MANY = ReplaceFlags(RULES[2:], beside="messages")
HEAD = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: "


def scripted(text: str) -> MemoryTree:
    return tree({JOB: f"{HEAD}bash runs/own.sh\n", "runs/own.sh": text, "train.py": ""})


LIST = 'ENGINE=(\n   --tp-size 8\n   {}\n   --last\n)\npython3 train.py "${{ENGINE[@]}}"\n'


@pytest.mark.parametrize(
    ("text", "flag", "line"),
    [
        (LIST.format("--enable-parts"), "--enable-parts", "+--parts-size 8"),
        (LIST.format("--enable-quick"), "--enable-quick", "+--backend quick"),
        (
            "python -m engine.serve --model a --enable-quick --port 1 &\n",
            "--enable-quick",
            "+python -m engine.serve --model a --backend quick --port 1 &",
        ),
        (
            "python3 train.py \\\n    --rollout-num-gpus-per-engine 4 \\\n    --sglang-enable-parts \\\n    --b 1\n",
            "--sglang-enable-parts",
            "+--sglang-parts-size 4 \\",
        ),
    ],
)
def test_the_flag_of_today_with_its_value(text: str, flag: str, line: str) -> None:
    made = patch(NAMED, "train", JOB, captures={"argument": flag}, repository=scripted(text))
    assert made.state is PatchState.PATCH, made.reason
    assert line in changed(made)


@pytest.mark.parametrize(
    ("text", "argument", "state"),
    [
        (
            LIST.format("--enable-parts\n   --unheard"),
            "--enable-parts --unheard",
            PatchState.REFUSED,
        ),  # not all are known
        (LIST.format("--enable-quick\n   --backend slow"), "--enable-quick", PatchState.ADVICE),  # both are set
        ("python3 train.py --tp-size $N --enable-parts\n", "--enable-parts", PatchState.ADVICE),  # of no known size
        ("python3 train.py --other\n", "--enable-quick", PatchState.REFUSED),
    ],
)
def test_what_is_not_known_is_not_replaced(text: str, argument: str, state: PatchState) -> None:
    made = draft(NAMED, "train", JOB, captures={"argument": argument}, repository=scripted(text))
    assert made.state is state, made.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LIST.format("--input-key messages\n   --drop-me"), ["---drop-me"]),
        (
            "python3 train.py --key messages --drop-me --b 1\n",
            ["-python3 train.py --key messages --drop-me --b 1", "+python3 train.py --key messages --b 1"],
        ),
        ("python3 train.py \\\n    --key messages \\\n    --drop-me \\\n    --b 1\n", ["---drop-me \\"]),
    ],
)
def test_a_flag_that_is_one_too_many_goes(text: str, expected: list[str]) -> None:
    made = patch(ONE_TOO_MANY, "train", JOB, repository=scripted(text))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize(
    "text",
    [
        "python3 train.py --key prompt --drop-me\n",  # nothing says that the data hold messages
        "python3 train.py \\\n    --key messages \\\n    --drop-me\n",  # the last line of a command
    ],
)
def test_a_flag_stays_where_it_may_be_right_or_ends_a_command(text: str) -> None:
    assert draft(ONE_TOO_MANY, "train", JOB, repository=scripted(text)).state is not PatchState.PATCH
