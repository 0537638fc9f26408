from __future__ import annotations

import pytest

from triage.fixes.invariants import check_layout, shape_of
from triage.model.signature import Tables

TABLES = Tables(models={"Small-0.5B": {"heads": 14, "kv_heads": 2}, "Small-0.5B-Wide": {"heads": 16, "kv_heads": 8}})
SEPARATE = {
    "hybrid_engine": "False",
    "rollout_gpus": "4",
    "trainer_gpus": "4",
    "rollout_tensor_parallel": "2",
    "fsdp_size": "2",
    "train_batch": "0",
    "model_path": "/models/org/Small-0.5B-Instruct",
}


def broken(gpus: int = 0, **changed: str) -> list[str]:
    values = SEPARATE | changed
    return [one.name for one in check_layout(lambda knob: values.get(knob, ""), TABLES, gpus) if one.holds is False]


def test_a_sound_layout_breaks_nothing() -> None:
    assert broken(gpus=8) == []


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"rollout_tensor_parallel": "3"}, "rollout GPUs divide by TP x DP x PP"),
        ({"fsdp_size": "3"}, "training GPUs divide by the FSDP size"),
        ({"rollout_tensor_parallel": "4"}, "heads divide by the rollout TP"),
        ({"sequence_parallel": "3"}, "training GPUs divide by the sequence parallel size"),
        ({"actor_strategy": "megatron", "actor_tensor_parallel": "8"}, "training GPUs divide by TP x PP x CP"),
        ({"train_batch": "9", "rollout_responses": "1"}, "train batch x responses divides by the GPUs"),
        ({"train_batch": "8", "actor_mini_batch": "16"}, "train batch holds a mini batch"),
    ],
)
def test_each_invariant_is_computed(changed: dict[str, str], name: str) -> None:
    assert name in broken(**changed)


LENGTHS = {"prompt_length": "512", "response_length": "1024"}


@pytest.mark.parametrize(
    ("changed", "fits"),
    [
        ({"train_tokens_per_gpu": "2048"}, True),
        ({"train_tokens_per_gpu": "512"}, False),
        ({"train_tokens_per_gpu": "512", "train_context_parallel": "2"}, True),
        ({"train_tokens_per_gpu": "1024", "prompt_length": "512"}, False),
    ],
)
def test_a_micro_batch_below_the_longest_sample_is_no_smaller(changed: dict[str, str], fits: bool) -> None:
    assert (broken(response_length="1024", **changed) == []) is fits


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (
            {"use_dynamic_bsz": "True", "actor_tokens_per_gpu": "1024"},
            "the actor tokens per GPU hold prompt and response",
        ),
        ({"use_dynamic_bsz": "True", "ref_tokens_per_gpu": "1024"}, "the ref tokens per GPU hold prompt and response"),
        ({"max_model_len": "1024"}, "the engine's length holds prompt and response"),
    ],
)
def test_one_sequence_must_fit(changed: dict[str, str], name: str) -> None:
    assert broken(**LENGTHS, **changed) == [name]


def test_sequence_parallelism_widens_a_micro_batch_and_plain_batches_have_no_tokens() -> None:
    tokens = {"actor_tokens_per_gpu": "1024"}
    assert broken(**LENGTHS, **tokens, use_dynamic_bsz="True", sequence_parallel="2") == []
    assert broken(**LENGTHS, **tokens, use_dynamic_bsz="False") == []


def test_pools_that_do_not_fit_the_runner() -> None:
    assert broken(gpus=4) == ["both pools fit the runner"]


def test_full_sharding_and_sizes_beyond_the_world_are_legal() -> None:
    assert broken(fsdp_size="-1") == []
    assert broken(fsdp_size="8") == []


def test_what_is_not_known_is_said_and_not_held() -> None:
    values = SEPARATE | {"model_path": "/models/Unheard-Of", "rollout_gpus": ""}
    unknown = [one.text for one in check_layout(lambda knob: values.get(knob, ""), TABLES) if one.holds is None]
    assert unknown == ["a figure is not known", "the heads of `/models/Unheard-Of` are not known"]


def test_the_longest_name_gives_the_shape() -> None:
    assert shape_of("x/small-0.5b-wide-chat", TABLES)["heads"] == 16
    assert shape_of("", TABLES) == {}
