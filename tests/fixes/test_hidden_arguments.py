"""Arguments behind a setting that only the run knows, or that take its key away: a patch before them proves nothing."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import hydra_job, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, HydraOverride

LOWER = EffectiveValue(knob="memory", to="0.4", at_most="0.5")
GIVE = HydraOverride(key="rollout.memory", value="0.4")
CONFIG = "rollout: {name: vllm, tp: 1, memory: 0.9}\n"
OWN = "python3 -m pkg.main rollout.memory=0.9"


@pytest.mark.parametrize(
    "tail",
    [
        "$(cat args.txt)",
        '"$(cat args.txt)"',
        "$(cat args.txt)=0.8",
        "rollout.$(cat args.txt)",
        '"${FROM_FILE[@]}"',
        "$(tail -n 1 args.txt) trainer.steps=1",
    ],
)
def test_what_may_set_the_key_again_hides_it(tail: str) -> None:
    repository = hydra_job(f"mapfile -t FROM_FILE < args.txt\n{OWN} {tail}\n", CONFIG)
    made = patch(LOWER, "train", repository=repository)
    assert made.state is PatchState.ADVICE
    assert "is not known, and may set rollout.memory again" in made.reason
    shown = patch(LOWER, "train", repository=repository, facts=Facts(settings={"rollout.memory": "0.9"}))
    assert shown.state is PatchState.PATCH, shown.reason


@pytest.mark.parametrize(
    "tail",
    [
        "model.path=$HOME/models",
        '"$HOME/x"',
        "$(nproc)",
        "+data=$(cat args.txt)",
        '--config-dir "$(cat args.txt)"',
        '"$@"',
        "$NEVER_SET",
        "rollout.name=$(cat args.txt)",
    ],
)
def test_what_cannot_set_it_does_not(tail: str) -> None:
    made = patch(LOWER, "train", repository=hydra_job(f"{OWN} {tail}\n", CONFIG))
    assert made.state is PatchState.PATCH, made.reason


@pytest.mark.parametrize("options", ["", "-n 1", "-0 -r"])
def test_arguments_from_the_input_come_last(options: str) -> None:
    made = patch(LOWER, "train", repository=hydra_job(f"cat args.txt | xargs {options} {OWN}\n", CONFIG))
    assert made.state is not PatchState.PATCH
    placed = patch(LOWER, "train", repository=hydra_job(f"cat args.txt | xargs -I{{}} {OWN} trainer.x={{}}\n", CONFIG))
    assert placed.state is PatchState.PATCH, placed.reason


@pytest.mark.parametrize("deleted", ["~rollout.memory", "'~rollout.memory=0.9'", "~rollout"])
@pytest.mark.parametrize("recipe", [LOWER, GIVE])
def test_a_key_that_is_taken_away_cannot_be_set(deleted: str, recipe: EffectiveValue | HydraOverride) -> None:
    made = patch(recipe, "train", repository=hydra_job(f"python3 -m pkg.main {deleted}\n", CONFIG))
    assert made.state is not PatchState.PATCH


def test_a_key_that_is_taken_away_and_added_anew_can() -> None:
    run = "python3 -m pkg.main ~rollout.memory +rollout.memory=0.9\n"
    made = patch(LOWER, "train", repository=hydra_job(run, CONFIG))
    assert made.state is PatchState.PATCH, made.reason
