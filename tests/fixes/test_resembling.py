"""Which name is meant by one that is not there; and where a guess would set something else."""

import pytest

from triage.fixes.resembling import one_slip, resembling, slip_of


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("enable_activation_offloading", ["enable_activation_offload", "enable_gradient_checkpointing"], "enable_activation_offload"),
        ("tensor_parallel_size", ["tensor_model_parallel_size", "data_parallel_size"], "tensor_model_parallel_size"),
        ("micro_batch_size_pergpu", ["micro_batch_size_per_gpu", "mini_batch_size_per_gpu"], "micro_batch_size_per_gpu"),
        ("--lora_rank", ["--lora-rank", "--lora-alpha"], "--lora-rank"),
        ("bfloat61", ["auto", "half", "bfloat16"], "bfloat16"),
        ("lerning_rate", ["learning_rate", "warmup_rate"], "learning_rate"),
        ("rollout_unm_gpus", ["rollout_num_gpus", "rollout_num_nodes"], "rollout_num_gpus"),
        ("fspd", ["fsdp", "megatron"], "fsdp"),
        ("stage-b-small-1-gpu", ["stage-b-1-gpu-small", "stage-b-2-gpu-small", "stage-c-1-gpu-small"], "stage-b-1-gpu-small"),
        ("size_batch", ["batch_size", "mini_batch_size"], "batch_size"),
        ("prefillre_host", ["prefiller_host", "prefiller_hosts"], "prefiller_host"),
    ],
)  # fmt: skip
def test_a_slip_or_another_spelling_is_understood(name: str, names: list[str], meant: str) -> None:
    assert resembling(name, names) == meant


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("dp_model_parallel_size", ["tensor_model_parallel_size"]),
        ("enable_offload", ["disable_offload"]),
        ("max_tokens", ["min_tokens"]),
        ("num_gpus", ["num_cpus"]),
        ("test-1-gpu-2-node", ["test-2-gpu-1-node"]),
        ("actor_to_rollout_sync", ["rollout_to_actor_sync"]),
        ("small-test-gpu", ["test-small-gpu", "test-gpu-small"]),
        ("qwen2_path", ["qwen3_path"]),
        ("param_offload", ["param_offloads", "params_offload"]),
        ("offload", []),
        ("offload", ["offload"]),
    ],
)
def test_what_may_mean_something_else_is_left(name: str, names: list[str]) -> None:
    assert resembling(name, names) == ""


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("create_rrelease", ["create_release", "create_prerelease"], "create_release"),
        ("brae_metal", ["bare_metal", "docker"], "bare_metal"),
        ("tessts", ["tests", "test"], "tests"),
        ("tp_size", ["pp_size"], ""),
        ("stage1", ["stage", "stage2"], ""),
        ("tets", ["test", "tests"], ""),
        ("oss", ["os"], ""),
    ],
)
def test_one_slip_is_a_letter_lost_doubled_or_exchanged(name: str, names: list[str], meant: str) -> None:
    assert one_slip(name, names) == meant


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("latets", ["latest", "stable"], "latest"),
        ("py3.110", ["py3.11", "py3.10", "py3.12"], ""),  # 3.10 and 3.11 are as near
        ("v0.4.6.pots5", ["v0.4.6.post5", "v0.4.6.post4"], "v0.4.6.post5"),
        ("cu12", ["cu124", "cu118"], "cu124"),
        ("cu126", ["cu128", "cu124"], ""),  # another version, not a slip
        ("latest", ["latest"], ""),
    ],
)
def test_a_slip_is_one_character_too_many_too_few_or_two_that_changed_places(
    name: str, names: list[str], meant: str
) -> None:
    assert slip_of(name, names) == meant


@pytest.mark.parametrize(
    ("name", "names"), [("pd", ["dp", "ep"]), ("sync_mode", ["async_mode"]), ("rollout_async", ["rollout_sync"])]
)
def test_two_letters_or_one_that_says_the_contrary_are_another_name(name: str, names: list[str]) -> None:
    assert resembling(name, names) == one_slip(name, names) == ""
