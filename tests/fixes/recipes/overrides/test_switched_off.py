"""Overrides that switch off what the configuration does not have: they go, and no other."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.overrides.test_overriding import RECIPE, TRAIN, captures, repository
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState

SCRIPT = """
python3 -m pkg.main \\
    actor.tp=2 \\
    {override} \\
    rollout.engine_kwargs.vllm=null
"""


@pytest.mark.parametrize("override", ["reward.checkpointing=False", "'reward.checkpointing=null'"])
def test_it_goes_with_its_line(override: str) -> None:
    there = repository(script=SCRIPT.format(override=override))
    made = patch(RECIPE, "train", TRAIN, captures=captures("reward.checkpointing"), repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{override} \\"]
    assert made.title == "Do not set reward.checkpointing"


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("reward.checkpointing=True", "reward.checkpointing"),
        ("reward.checkpointing=${CKPT}", "reward.checkpointing"),
        # Below nothing that the configuration has, and below what takes any name.
        ("critic.checkpointing=False", "critic.checkpointing"),
        ("+reward.checkpointing=False", "reward.checkpointing"),
    ],
)
def test_what_says_something_stays(override: str, key: str) -> None:
    there = repository(script=SCRIPT.format(override=override))
    made = draft(RECIPE, "train", TRAIN, captures=captures(key), repository=there)
    assert made.state is not PatchState.PATCH


def test_a_switch_that_may_have_moved_stays() -> None:
    there = repository(script=SCRIPT.format(override="actor.optim.checkpointing=False"))
    made = draft(RECIPE, "train", TRAIN, captures=captures("actor.optim.checkpointing"), repository=there)
    assert made.state is PatchState.ADVICE
