"""Which rung of a built-in ladder comes first in a situation."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from triage.model.conditions import objection
from triage.model.diagnosis import Facts, Layout, Phase
from triage.model.recipe import EffectiveValue
from triage.sources.catalogue import load

SIGNATURES = load().signatures


def first(signature: str, facts: Facts, settings: Mapping[str, str]) -> str:
    """The knob of the first rung that applies."""
    ladder = SIGNATURES[signature].fixes
    fix = next(one for one in ladder if not objection(one.when, facts, lambda name: settings.get(name, "")))
    assert isinstance(fix.recipe, EffectiveValue)
    return fix.recipe.knob


@pytest.mark.parametrize(
    ("signs", "layout", "knob"),
    [
        ((), Layout.SEPARATE, "weight_bucket_megabytes"),
        (("others-hold",), Layout.UNKNOWN, "gpu_memory_utilization"),
        (("engine-asked",), Layout.SEPARATE, "gpu_memory_utilization"),
        (("engine-asked", "own-fills"), Layout.SEPARATE, "gpu_memory_utilization"),
        (("own-fills",), Layout.SEPARATE, "optimizer_offload"),
        (("own-fills",), Layout.COLOCATED, "weight_bucket_megabytes"),
    ],
)
def test_what_gives_way_to_weights_on_their_way(signs: tuple[str, ...], layout: Layout, knob: str) -> None:
    facts = Facts(phase=Phase.WEIGHT_SYNC, layout=layout, signs=signs)
    assert first("gpu-oom-weight-sync", facts, {"optimizer_offload": "False"}) == knob


@pytest.mark.parametrize(
    ("phase", "settings", "knob"),
    [
        (Phase.ACTOR_UPDATE, {"use_dynamic_bsz": "False"}, "actor_micro_batch"),
        (Phase.ACTOR_UPDATE, {"use_dynamic_bsz": "True"}, "actor_tokens_per_gpu"),
        (Phase.CRITIC_UPDATE, {"critic_micro_batch": "4", "use_dynamic_bsz": "False"}, "critic_micro_batch"),
        (Phase.CRITIC_UPDATE, {"critic_tokens_per_gpu": "9000", "use_dynamic_bsz": "True"}, "critic_tokens_per_gpu"),
    ],
)
def test_the_batch_of_the_model_that_trained_is_halved(phase: Phase, settings: dict[str, str], knob: str) -> None:
    assert first("gpu-oom-actor-update", Facts(phase=phase), settings) == knob


@pytest.mark.parametrize(
    ("facts", "recipe"),
    [
        (Facts(signs=("fragmented",)), "env"),
        (Facts(signs=("fragmented",), frameworks=("vllm",)), "effective_value"),
        (Facts(signs=("fragmented",), layout=Layout.COLOCATED), "effective_value"),
        (Facts(), "effective_value"),
    ],
)
def test_a_trainer_without_an_engine_lets_its_segments_grow_where_fragments_fill_the_card(
    facts: Facts, recipe: str
) -> None:
    ladder = SIGNATURES["gpu-oom-actor-update"].fixes
    applying = [one for one in ladder if not objection(one.when, facts, lambda _name: "")]
    assert applying[0].recipe.recipe == recipe


def test_what_becomes_of_the_global_batch_is_said_only_as_far_as_it_is_known() -> None:
    """No rung that turns a micro-batch alone asks whether another setting fixes the batch of one optimizer step."""
    saying = [
        fix.because
        for signature in SIGNATURES.values()
        for fix in signature.fixes
        if isinstance(fix.recipe, EffectiveValue)
        and fix.recipe.knob == "train_micro_batch"
        and not fix.recipe.together
        and "stays" in fix.because
    ]
    assert len(saying) == 2
    for because in saying:
        assert "Where the batch of one optimizer step is a setting of its own, it stays;" in because
        assert "where it is the micro-batch times the GPUs, it is halved too" in because
