"""As many steps as fit the time, and the limits of clusters that scripts ask for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import TABLES, changed, draft, patch
from triage.model.diagnosis import Facts, Progress
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, FewerSteps

OWN = ".github/workflows/own.yml"
HEAD = (
    "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Go\n        run: bash tools/go.sh {}\n"
)
LONG, WIDE = "tests/suites/train-long.sh", "tests/suites/train-wide.sh"
STEPS = FewerSteps("training_steps")
KNOBS = {
    "training_steps": {"hydra": ("trainer.steps",), "shell": ("MAX_STEPS", "STEPS_PER_RUN")},
    "cluster_minutes": {"shell": ("NUM_MINUTES", "#SBATCH --time")},
}


@pytest.fixture(autouse=True)
def knobs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, dialects in KNOBS.items():
        monkeypatch.setitem(TABLES.knobs, name, dialects)  # type: ignore[arg-type]


def repository(script: str, wide: Sequence[str] = (), named: str = LONG) -> MemoryTree:
    beside = {f"tests/suites/other-{at}.sh": f"NUM_MINUTES={minutes}\n" for at, minutes in enumerate(wide)}
    return tree({OWN: HEAD.format(named), "tools/go.sh": "sbatch ray.sub\n", LONG: script, **beside})


def facts(done: int, total: int, left: float = -1, commands: tuple[str, ...] = ()) -> Facts:
    return Facts(progress=Progress(done, total, left), commands=commands)


def test_every_variable_with_the_number_and_what_reads_the_last_step_change_together() -> None:
    script = (
        "MAX_STEPS=30\nSTEPS_PER_RUN=30 # one run\nNUM_MINUTES=240\n"
        'check \'data["kl"]["30"] < 1\' "data[\\"kl\\"][\\"30\\"] < 1" \'data["kl"]["1"] < 9\'\n'
    )
    made = patch(STEPS, "train", OWN, step="Go", repository=repository(script), facts=facts(18, 30))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [
        "+MAX_STEPS=15",
        "+STEPS_PER_RUN=15 # one run",
        '+check \'data["kl"]["15"] < 1\' "data[\\"kl\\"][\\"15\\"] < 1" \'data["kl"]["1"] < 9\'',
    ]


@pytest.mark.parametrize(
    ("script", "done", "total", "reason"),
    [
        ("MAX_STEPS=500\nSTEPS_PER_RUN=190\n", 180, 500, "one of a chain"),
        ("MAX_STEPS=40\n", 18, 30, "one of a chain"),
        ('MAX_STEPS=30\ncheck \'data["kl"]["20"] < 1\'\n', 18, 30, "a check reads step 20"),
        ("MAX_STEPS=1\n", 1, 1, "fewer do not make it shorter"),
    ],
)
def test_a_number_that_means_something_else_is_left_alone(script: str, done: int, total: int, reason: str) -> None:
    made = draft(STEPS, "train", OWN, step="Go", repository=repository(script), facts=facts(done, total))
    assert made.state is PatchState.REFUSED
    assert reason in made.reason


def minutes(script: str, beside: Sequence[str], known: Facts = Facts(), named: str = LONG, **recipe: str):
    return draft(
        EffectiveValue("effective_value", "cluster_minutes", **recipe),  # type: ignore[arg-type]
        "train",
        OWN,
        step="Go",
        repository=repository(script, beside, named),
        facts=known,
    )


def test_a_refused_limit_becomes_the_largest_lower_one_of_a_sibling() -> None:
    made = minutes("NUM_MINUTES=300\n", ["120", "240", "360"], below="siblings")
    assert [edit.new for edit in made.edits] == [b"240"]
    assert minutes("NUM_MINUTES=100\n", ["120", "240"], below="siblings").state is PatchState.REFUSED


def test_a_limit_is_not_raised_to_what_is_not_enough_either() -> None:
    assert [one.new for one in minutes("NUM_MINUTES=120\n", ["240"], facts(90, 100), factor="1.5").edits] == [b"180"]
    made = minutes("NUM_MINUTES=120\n", ["240"], facts(232, 500), factor="1.5")
    assert "so that all take up to 285" in made.reason
    # Where a sibling gets as much, what all steps take is asked for.
    assert [one.new for one in minutes("NUM_MINUTES=120\n", ["600"], facts(40, 100), factor="1.5").edits] == [b"330"]
    # By its stamps the training began late.
    assert minutes("NUM_MINUTES=120\n", ["240"], facts(2, 10, 40), factor="1.5").state is PatchState.PATCH


def test_the_few_that_ask_for_more_than_many_say_nothing_of_what_is_granted() -> None:
    made = minutes("NUM_MINUTES=240\n", ["240"] * 8 + ["120", "1200", "1200"], factor="1.5")
    assert made.state is PatchState.IN_PLACE, made.reason
    below = minutes("NUM_MINUTES=120\n", ["240"] * 8 + ["120", "1200", "1200"], facts(40, 100), factor="1.5")
    assert "not enough either" in below.reason
    few = minutes("NUM_MINUTES=240\n", ["240", "240", "120", "1200"], factor="1.5")
    assert [one.new for one in few.edits] == [b"360"]


def test_the_script_is_the_one_that_the_run_is_named_after_where_no_command_names_it() -> None:
    shown = facts(9, 10, commands=("python train.py log=/opt/train/tests/suites/train-long/logs",))
    made = minutes("NUM_MINUTES=120\n", ["240"], shown, named="", factor="1.5")
    assert [(edit.path, edit.new) for edit in made.edits] == [(LONG, b"180")]
    assert minutes("NUM_MINUTES=120\n", ["240"], named="", factor="1.5").state is PatchState.REFUSED


@pytest.mark.parametrize("line", ["ls out/global_step_500", "python a.py --train-iters 500", "cat iter_0000500/x"])
def test_steps_that_another_line_counts_on_are_not_made_fewer(line: str) -> None:
    found = draft(
        STEPS, "train", OWN, step="Go", repository=repository(f"MAX_STEPS=500\n{line}\n"), facts=facts(400, 500)
    )
    assert found.state is PatchState.REFUSED
    said = patch(
        STEPS, "train", OWN, step="Go", repository=repository(f"MAX_STEPS=500\n# {line}\n"), facts=facts(400, 500)
    )
    assert said.state is PatchState.PATCH, said.reason


@pytest.mark.parametrize("given", ["--time=0:60:0", "--nodes=1 -t 60"])
def test_a_time_on_the_command_line_beats_the_directive_of_the_script_that_it_submits(given: str) -> None:
    run = f"sbatch {given} ray.sub # COMMAND=bash {LONG}"
    files = {"ray.sub": "#!/bin/bash\n#SBATCH --time=1:0:0\nuv run train.py\n", LONG: "NUM_MINUTES=60\n"}
    beside = {"tests/suites/other.sh": "NUM_MINUTES=120\n"}
    whole = tree({OWN: HEAD.replace("bash tools/go.sh {}", f"|\n          {run}"), **files, **beside})
    recipe = EffectiveValue("effective_value", "cluster_minutes", factor="1.5")
    made = draft(recipe, "train", OWN, step="Go", repository=whole)
    assert [(one.path, one.new) for one in made.edits] == [(LONG, b"90")], made.reason
