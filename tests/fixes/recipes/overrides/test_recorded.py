"""A time limit that a harness reads out of the test's own configuration: raised in its clock, or added."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes import repository as made_up
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue

OWN = ".github/workflows/own.yml"
HALF_MORE = EffectiveValue(knob="cluster_minutes", factor="1.5")
RECIPE = "recipes/small/sft.yaml"


@pytest.fixture(autouse=True)
def _tables(monkeypatch: pytest.MonkeyPatch) -> None:
    knobs = {**made_up.TABLES.knobs, "cluster_minutes": {"shell": ("NUM_MINUTES",), "record": ("ci.time",)}}
    monkeypatch.setattr(made_up, "TABLES", replace(made_up.TABLES, knobs=knobs))


def repository(own: str, *others: str, run: str = f"python train.py --config {RECIPE}") -> MemoryTree:
    files = {
        OWN: f"on: [push]\njobs:\n  test:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    }
    files |= {"train.py": "", RECIPE: f"steps: 50\nci:\n  owner: someone\n{own}"}
    return tree(files | {f"recipes/large/sft{at}.yaml": f"ci:\n  time: {text}\n" for at, text in enumerate(others)})


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        ('  time: "00:15:00"  # measured\n', ('"01:00:00"',), '+time: "00:25:00"  # measured'),
        ("  time: '01:30:00'\n", ('"04:00:00"',), "+time: '02:15:00'"),
        ('  time: "00:15:00"\n', ('"00:20:00"',), '+time: "00:20:00"'),
        ("", ('"00:20:00"', '"00:20:00"', '"00:45:00"'), '+time: "00:20:00"'),
    ],
)
def test_the_limit_of_the_named_configuration_grows(own: str, others: tuple[str, ...], expected: str) -> None:
    made = patch(HALF_MORE, "test", OWN, step="Train", repository=repository(own, *others))
    assert (made.state, made.files) == (PatchState.PATCH, (RECIPE,)), made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [expected]
    assert "not proved" in " ".join(made.notes)


@pytest.mark.parametrize(
    "run",
    [
        f"'export CONFIG_PATH={RECIPE}; sbatch --time=00:15:00 run.sub'",
        f"'CONFIG=/opt/train/{RECIPE} ; bsub -W 15 run.sub'",
    ],
)
def test_a_variable_may_carry_the_configuration_to_what_the_scheduler_starts(run: str) -> None:
    there = repository('  time: "00:15:00"\n', '"01:00:00"', run=run)
    made = patch(HALF_MORE, "test", OWN, step="Train", repository=there)
    assert (made.state, made.files) == (PatchState.PATCH, (RECIPE,)), made.reason


@pytest.mark.parametrize(
    ("own", "others", "run"),
    [
        # The longest that the cluster is known to grant.
        ('  time: "00:45:00"\n', ('"00:20:00"',), f"python train.py --config {RECIPE}"),
        # Nobody sets one, or two as often.
        ("", (), f"python train.py --config {RECIPE}"),
        ("", ('"00:20:00"', '"00:45:00"'), f"python train.py --config {RECIPE}"),
        # Which of two is meant is not known; a file without the mapping is no such configuration.
        ('  time: "00:15:00"\n', ('"01:00:00"',), f"bash go.sh {RECIPE} recipes/large/sft0.yaml"),
        ('  time: "00:15:00"\n', ('"01:00:00"',), "python train.py --config other.yaml"),
    ],
)
def test_what_nobody_is_known_to_grant_is_not_asked_for(own: str, others: tuple[str, ...], run: str) -> None:
    made = patch(HALF_MORE, "test", OWN, step="Train", repository=repository(own, *others, run=run))
    assert made.state is not PatchState.PATCH, made.diff


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("00:10:00", ['+time: "00:20:00"']), ("00:20:00", ['+time: "00:45:00"']), ("00:45:00", [])],
)
def test_not_less_is_asked_for_than_the_log_shows_was_not_enough(asked: str, expected: list[str]) -> None:
    run = f"'export CONFIG_PATH={RECIPE}; sbatch --time={asked} run.sub'"
    here = repository("", '"00:20:00"', '"00:20:00"', '"00:45:00"', run=run)
    made = patch(HALF_MORE, "test", OWN, step="Train", repository=here)
    assert (made.state is PatchState.PATCH) == bool(expected), made.reason
    assert changed(made) == expected
