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


CACHE = "      - name: Keep\n        uses: actions/cache@v4\n        with:\n          path: {path}\n{key}"
KEY = "          key: wheels\n"


def caches(path: str) -> MemoryTree:
    kept = CACHE.format(path="wheels", key=KEY).replace("name: Keep", "name: Other")
    return repository(f"  other:\n    runs-on: cpu\n    steps:\n{kept}", CACHE.format(path=path, key=""))


@pytest.mark.parametrize(("path", "state"), [("wheels", PatchState.PATCH), ("models", PatchState.REFUSED)])
def test_the_key_of_another_cache_is_not_its_own(path: str, state: PatchState) -> None:
    made = draft(RECIPE, "unit", OWN, step="Keep", captures={"input": "key"}, repository=caches(path))
    assert (made.state is PatchState.REFUSED) is (state is PatchState.REFUSED)


@pytest.mark.parametrize(
    ("on", "value"),
    [
        ("[push]", "${{ github.event.pull_request.number }}"),
        ("[push]", "${{ toJson(matrix) }}"),
        ("[pull_request_target]", "${{ secrets.WRITER }}"),
    ],
)
def test_what_the_run_has_not_or_strangers_would_get_is_left(on: str, value: str) -> None:
    lacks = f"on: {on}\njobs:\n  unit:\n    runs-on: cpu\n    steps:\n{LACKS}"
    there = tree({OWN: lacks, ".github/workflows/more.yml": f"on: [pull_request]\njobs:\n{other(value)}"})
    made = draft(RECIPE, "unit", OWN, step="Java", captures={"input": "distribution"}, repository=there)
    assert made.state is PatchState.REFUSED
