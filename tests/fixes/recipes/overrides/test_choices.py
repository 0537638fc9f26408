"""Options whose value is none of their choices."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairValue

OWN = ".github/workflows/own.yml"
RECIPE = RepairValue("{argument}", "{value}", "{choices}")


def repository(line: str, **files: str) -> MemoryTree:
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Get\n        run: bash tests/run.sh\n"
    return tree({OWN: head, "tests/run.sh": f"set -x\n{line}\n", **files})


def said(argument: str, value: str, choices: str) -> dict[str, str]:
    return {"argument": argument, "value": value, "choices": choices}


KINDS = "'model', 'rows', 'space'"
# The log's own words are written only where the tree has them.
WORDS = {"docs/options.md": "bfloat16 or half; eager or graph\n"}
GUIDE = {"docs/start.md": "    fetch get --kind rows example/all --out all\n"}


@pytest.mark.parametrize(
    ("line", "captures", "files", "expected"),
    [
        (
            "fetch get --kind example/all --out all",
            said("--kind", "example/all", KINDS),
            GUIDE,
            "fetch get --kind rows example/all --out all",
        ),
        (
            'fetch get --kind "example/all" --out all',
            said("-k/--kind", "example/all", KINDS),
            GUIDE,
            'fetch get --kind rows "example/all" --out all',
        ),
        (
            "serve --dtype bfloat61",
            said("--dtype", "bfloat61", "auto, half, bfloat16"),
            WORDS,
            "serve --dtype bfloat16",
        ),
        ("serve --mode=Eeger x", said("--mode", "Eeger", "'eager', 'graph'"), WORDS, "serve --mode=eager x"),
        ("M=egaer\nserve --mode $M", said("--mode", "egaer", "'eager', 'graph'"), WORDS, "M=eager"),
    ],
)
def test_the_choice_comes_from_siblings_or_resembles(
    line: str, captures: dict[str, str], files: dict[str, str], expected: str
) -> None:
    made = patch(RECIPE, "train", OWN, step="Get", captures=captures, repository=repository(line, **files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+{expected}"


@pytest.mark.parametrize(
    ("line", "captures", "files", "reason"),
    [
        ("fetch get --kind example/all", said("--kind", "example/all", KINDS), {}, "the tree does not say which"),
        (
            "fetch get --kind example/all",
            said("--kind", "example/all", KINDS),
            {**GUIDE, "b.sh": "fetch get --kind model example/m\n"},
            "the tree does not say which",
        ),
        (
            "fetch get --kind example/all",
            said("--kind", "example/all", KINDS),
            {"b.sh": "other --kind rows example/m\n"},
            "the tree does not say which",
        ),
        ("serve --mode egaer", said("--mode", "egaer", "eager, graph"), {}, "the tree does not say which"),
        ("serve --dtype int3", said("--dtype", "int3", "auto, half, int4, int8"), {}, "the tree does not say which"),
        ("serve --dtype half", said("--dtype", "fp17", "auto, half"), {}, "passes --dtype fp17"),
        # Only a remark of another script has it.
        (
            "serve $ARGS",
            said("--mode", "egaer", "eager, graph"),
            {**WORDS, "b.sh": "ls # --mode egaer\n"},
            "no command",
        ),
        ("serve --dtype half", said("dtype", "fp17", "auto, half"), {}, "does not say which option"),
    ],
)
def test_without_one_choice_nothing_is_edited(
    line: str, captures: dict[str, str], files: dict[str, str], reason: str
) -> None:
    made = draft(RECIPE, "train", OWN, step="Get", captures=captures, repository=repository(line, **files))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason
