"""Settings with another value than the job can bear: too much memory, too many devices, sizes that do not divide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from tests.seeded.launch import commands, pick
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_SETTING = r"(?<![\w.])(?P<name>{})(?P<sign>=| |: )(?P<value>\d+(?:\.\d+)?)(?=[\s\"'\\]|$)"
_WHERE = "/usr/local/lib/python3.12/dist-packages"

Printed = Callable[[str, str], Sequence[str]]


def engine_share(site: Site) -> Iterator[Seed]:
    """The engine's share of a card that it has together with a trainer, raised to nearly all."""
    names = r"[\w.]*rollout\.gpu_memory_utilization|[\w.]*inference_engine\.gpu_memory_utilization|--sglang-mem-fraction-static"
    return _raised(
        site, names, lambda old: "0.95" if float(old) <= 0.8 else "", lambda _old, _new: _trainer_crowded_out()
    )


def micro_batch(site: Site) -> Iterator[Seed]:
    """The actor's micro-batch eight times as large."""
    names = r"[\w.]*actor\.ppo_micro_batch_size_per_gpu|[\w.]*micro_train_batch_size_per_gpu|--per_device_train_batch_size|--micro-batch-size"
    seeds = _raised(
        site, names, lambda old: str(int(old) * 8) if "." not in old else "", lambda _old, _new: _activations()
    )
    # Where the batch is dynamic nothing reads it; what generates or converts has no training step.
    return (
        seed
        for seed in seeds
        for path, text in seed.spoilt.items()
        if not re.search(rb"use_dynamic_bsz=[\"']?(?:True|true|\$)", text)
        and not re.search(r"generat|eval|export|convert", path)
    )


def server_share(site: Site) -> Iterator[Seed]:
    """The share of an engine that has the card alone, too small for its weights."""
    names = r"--gpu-memory-utilization|--gpu_memory_utilization|gpu_memory_utilization"
    printed = (
        "Traceback (most recent call last):",
        f'  File "{_WHERE}/vllm/v1/engine/core.py", line 223, in _initialize_kv_caches',
        "    kv_cache_configs = get_kv_cache_configs(",
        f'  File "{_WHERE}/vllm/v1/core/kv_cache_utils.py", line 683, in check_enough_kv_cache_memory',
        '    raise ValueError("No available memory for the cache blocks. "',
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
    )
    return _raised(site, names, lambda old: "0.1" if float(old) >= 0.3 else "", lambda _old, _new: printed)


def more_gpus(site: Site) -> Iterator[Seed]:
    """Twice the GPUs of the node."""
    names = r"[\w.]*n_gpus_per_node|[\w.]*cluster\.gpus_per_node|[\w.]*placement\.policy_num_gpus_per_node"

    def printed(old: str, new: str) -> Sequence[str]:
        return (
            "Traceback (most recent call last):",
            '  File "/workspace/train/single_controller/ray/base.py", line 152, in _check_resource_available',
            "    raise ValueError(",
            f"ValueError: Total available GPUs {old}.0 is less than total desired GPUs {new}",
        )

    return _raised(site, names, lambda old: str(int(old) * 2), printed)


def engine_wider(site: Site) -> Iterator[Seed]:
    """An engine split over twice the GPUs that its heads allow."""
    names = r"--tensor-parallel-size|[\w.]*rollout\.tensor_model_parallel_size|tensor_parallel_size"

    def printed(_old: str, new: str) -> Sequence[str]:
        return (
            "Traceback (most recent call last):",
            f'  File "{_WHERE}/vllm/config/model.py", line 1066, in verify_with_parallel_config',
            "    raise ValueError(",
            f"ValueError: Total number of attention heads (14) must be divisible by tensor parallel size ({new}).",
        )

    return _raised(site, names, lambda old: str(int(old) * 8) if old in "12" else "", printed)


def longer_than_model(site: Site) -> Iterator[Seed]:
    """More tokens than the model has positions."""
    names = r"--max-model-len|[\w.]*max_model_len"

    def printed(old: str, new: str) -> Sequence[str]:
        derived = max(int(old), 32768)
        return (
            "Traceback (most recent call last):",
            f'  File "{_WHERE}/vllm/engine/arg_utils.py", line 1053, in create_model_config',
            "    return ModelConfig(",
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig",
            (
                f"  Value error, User-specified max_model_len ({new}) is greater than the derived max_model_len "
                f"(max_position_embeddings={derived} or model_max_length=None in model's config.json). To allow overriding this "
                "maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1. VLLM_ALLOW_LONG_MAX_MODEL_LEN must be used with "
                "extreme caution. If the model uses relative position encoding (RoPE), positions exceeding "
                "derived_max_model_len lead to nan. If the model uses absolute position encoding, positions exceeding "
                "derived_max_model_len will cause a CUDA array out-of-bounds error. [type=value_error, "
                "input_value=ArgsKwargs((), {'model': ...ne}), input_type=ArgsKwargs]"
            ),
            "    For further information visit https://errors.pydantic.dev/2.12/v/value_error",
        )

    return _raised(site, names, lambda old: "262144" if int(old) <= 65536 else "", printed)


def _raised(site: Site, names: str, to: Callable[[str], str], printed: Printed) -> Iterator[Seed]:
    """One setting of each file: its number as `to` makes it ("": left)."""
    pattern = re.compile(_SETTING.format(f"(?:{names})"))
    seen = set()
    for command in commands(site):
        own = [(n, line) for n, line in command.lines if (found := pattern.search(line)) and to(found["value"])]
        chosen = pick([one for one in own if command.text.count(one[1]) == 1], command.path)
        if (
            not chosen
            or command.path in seen
            or not re.search(r"\b(?:python3?|uv|vllm|torchrun|accelerate|sglang)\b", command.joined)
        ):
            continue
        seen.add(command.path)
        found = pattern.search(chosen[1])
        assert found
        old, new = found["value"], to(found["value"])
        line = f"{chosen[1][: found.start('value')]}{new}{chosen[1][found.end('value') :]}"
        yield command.seed(chosen[0], line, printed(old, new), f"{found['name']} {old} -> {new}")


_IN_UPDATE = (
    "Traceback (most recent call last):",
    '  File "/workspace/train/workers/fsdp_workers.py", line 612, in update_actor',
    "    metrics = self.actor.update_policy(data=data)",
    '  File "/workspace/train/workers/actor/dp_actor.py", line 431, in update_policy',
    "    loss.backward()",
)
_IN_ENGINE = (
    f'  File "{_WHERE}/torch/autograd/graph.py", line 829, in _engine_run_backward',
    "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
)


def _trainer_crowded_out() -> Sequence[str]:
    return (
        *_IN_UPDATE,
        f'  File "{_WHERE}/torch/_tensor.py", line 648, in backward',
        "    torch.autograd.backward(",
        *_IN_ENGINE,
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. GPU 0 has a total capacity of 79.10 GiB of "
            "which 1.91 GiB is free. Process 61231 has 70.02 GiB memory in use. Process 60877 has 7.15 GiB memory in use. Of the "
            "allocated memory 5.83 GiB is allocated by PyTorch, and 412.10 MiB is reserved by PyTorch but unallocated. If "
            "reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
            "fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html)"
        ),
    )


def _activations() -> Sequence[str]:
    return (
        *_IN_UPDATE,
        *_IN_ENGINE,
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total capacity of 79.10 GiB of "
            "which 9.40 GiB is free. Including non-PyTorch memory, this process has 69.69 GiB memory in use. Of the allocated "
            "memory 66.93 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated. If reserved but "
            "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "
            "See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html)"
        ),
    )
