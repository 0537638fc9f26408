"""An input that a step no longer gives its action, while all others do."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyInput

OWN = ".github/workflows/own.yml"
RECIPE = CopyInput("{input}")
LACKS = "      - name: Java\n        uses: actions/setup-java@v4\n        with:\n          java-version: 17\n"


def other(value: str) -> str:
    step = f"      - uses: actions/setup-java@v4\n        with:\n          distribution: {value}\n"
    return f"  other:\n    runs-on: cpu\n    steps:\n{step}"


def repository(others: str, lacks: str = LACKS) -> MemoryTree:
    return tree({OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: cpu\n    steps:\n{lacks}{others}"})


@pytest.mark.parametrize("value", ["temurin", '"temurin"', "${{ vars.JAVA }}"])
def test_the_one_value_of_the_others_is_given(value: str) -> None:
    there = repository(other(value))
    made = patch(RECIPE, "unit", OWN, step="Java", captures={"input": "distribution"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+distribution: {value}"]


def test_a_step_without_inputs_gets_them() -> None:
    there = repository(other("temurin"), LACKS[: LACKS.index("        with:")])
    made = patch(RECIPE, "unit", OWN, step="Java", captures={"input": "distribution"}, repository=there)
    assert changed(made) == ["+with:", "+distribution: temurin"]


@pytest.mark.parametrize(
    "others",
    [
        other("temurin") + other("zulu").replace("other:", "more:"),
        other("${{ matrix.java }}"),
        other("|\n            temurin\n"),
        "",
    ],
)
def test_what_the_others_do_not_agree_on_is_left(others: str) -> None:
    made = draft(RECIPE, "unit", OWN, step="Java", captures={"input": "distribution"}, repository=repository(others))
    assert made.state is PatchState.REFUSED
