"""New values that the log's own figures decide: one that leaves too little would change nothing."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts, Memory
from triage.model.patch import Patch, PatchState
from triage.model.recipe import EffectiveValue
from triage.model.signature import Tables
from triage.sources.catalogue import load

KEY = "actor_rollout_ref.rollout.gpu_memory_utilization"
LOWER = EffectiveValue(knob="gpu_memory_utilization", add="-0.1", at_least="0.3")
WITHIN = EffectiveValue(
    knob="gpu_memory_utilization", from_values=("{share}",), room=("{free}", "{total}"), at_least="0.3"
)
LENGTH = EffectiveValue(knob="max_model_len", power_within="{fits}", factor="0.5", at_least="1024")


@lru_cache(maxsize=1)
def tables() -> Tables:
    return load(cache=False).tables


@pytest.fixture(autouse=True)
def knobs_by_their_names_in_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fixes.recipes.repository.TABLES", tables())


def repository(share: str) -> MemoryTree:
    workflow = "on: push\njobs:\n  train:\n    runs-on: gpu-8\n    steps:\n      - run: |\n"
    command = f"          python3 -m trainer.main_ppo {KEY}={share} actor_rollout_ref.rollout.max_model_len=32768\n"
    return tree({".github/workflows/ci.yml": workflow + command})


def replacing(recipe: EffectiveValue, share: str, captures: dict[str, str], facts: Facts | None = None) -> str:
    made = patch(
        recipe,
        "train",
        ".github/workflows/ci.yml",
        captures=captures,
        facts=facts or Facts(),
        repository=repository(share),
    )
    assert made.state is PatchState.PATCH, made.reason
    return next(line for line in changed(made) if line[0] == "+")


@pytest.mark.parametrize(
    ("free", "share", "new"), [("31.44", "0.95", "0.65"), ("72.0", "0.92", "0.9"), ("24.0", "0.9", "0.3")]
)
def test_the_share_fits_in_what_is_free(free: str, share: str, new: str) -> None:
    said = {"free": free, "total": "47.38" if free == "31.44" else "80", "share": share}
    assert f"{KEY}={new} " in replacing(WITHIN, share, said)


@pytest.mark.parametrize(
    ("share", "said", "reason"),
    [
        ("0.60", {"free": "61", "total": "80", "share": "0.8"}, "it is 0.60 here; this fix only changes 0.8"),
        ("0.8", {"free": "18.41", "total": "61.28", "share": "0.8"}, ""),
        ("0.8", {"free": "8", "total": "80", "share": "0.8"}, "something else holds the card"),
        ("0.8", {"free": "90", "total": "80", "share": "0.8"}, "does not say how much"),
    ],
)
def test_another_share_or_a_card_that_is_held_is_refused(share: str, said: dict[str, str], reason: str) -> None:
    made = draft(
        WITHIN, "train", ".github/workflows/ci.yml", captures=said, facts=Facts(), repository=repository(share)
    )
    assert (made.state is PatchState.REFUSED) == bool(reason)
    assert reason in made.reason


@pytest.mark.parametrize(("asked", "free", "new"), [(900, 500, "0.75"), (20_000, 4_000, "0.65"), (40_000, 0, "0.35")])
def test_a_share_gives_up_what_was_missing(asked: float, free: float, new: str) -> None:
    facts = Facts(memory=Memory(asked=asked, free=free, total=81_920))
    assert f"{KEY}={new} " in replacing(LOWER, "0.85", {}, facts)


def test_a_share_that_cannot_give_up_what_was_missing_stays() -> None:
    facts = Facts(memory=Memory(asked=60_000, free=100, total=81_920))
    made = draft(LOWER, "train", ".github/workflows/ci.yml", captures={}, facts=facts, repository=repository("0.85"))
    assert made.state is PatchState.REFUSED
    assert "73% of the card were missing for what was asked: 0.85 to 0.3 gives up less than that" in made.reason


@pytest.mark.parametrize(
    ("said", "new"), [({"fits": "22992"}, "16384"), ({"fits": "4096"}, "4096"), ({"fits": ""}, "16384"), ({}, "16384")]
)
def test_a_length_is_the_power_of_two_that_fits(said: dict[str, str], new: str) -> None:
    assert f"max_model_len={new}" in replacing(LENGTH, "0.5", said)


BUCKET = EffectiveValue(knob="weight_bucket_megabytes", tensor=("{shape}", "{dtype}"), factor="2", at_most="16384")
BUCKET_KEY = "actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes"


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ({"shape": "152064, 3584", "dtype": "torch.float32"}, "4096"),
        ({"shape": "152064, 3584", "dtype": "torch.bfloat16"}, "2048"),
        ({"shape": "131072, 4096", "dtype": "torch.bfloat16"}, "1024"),
        ({"shape": "131072, 4096, 2", "dtype": "torch.float8_e4m3fn"}, "1024"),
        ({"shape": "", "dtype": ""}, "1024"),
        ({"shape": "152064, 3584", "dtype": "torch.complex"}, "1024"),
        ({}, "1024"),
        ({"shape": "1520640, 35840", "dtype": "torch.float32"}, ""),
        ({"shape": "1024, 1024", "dtype": "torch.float32"}, ""),
    ],
)
def test_a_bucket_holds_the_tensor_that_did_not_fit(said: dict[str, str], new: str) -> None:
    command = f"python3 -m trainer.main_ppo {BUCKET_KEY}=512"
    path = ".github/workflows/ci.yml"
    text = f"on: push\njobs:\n  train:\n    runs-on: gpu-8\n    steps:\n      - run: {command}\n"
    make = patch if new else draft
    made = make(BUCKET, "train", path, captures=said, facts=Facts(), repository=tree({path: text}))
    assert (made.state is PatchState.PATCH) == bool(new), made.reason
    assert not isinstance(made, Patch) or f"{BUCKET_KEY}={new}" in made.diff
