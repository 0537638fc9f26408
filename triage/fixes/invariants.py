"""Arithmetic that a parallel layout must satisfy: GPUs, batch and heads divide. What cannot be computed is said."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from triage.fixes.numbers import whole
from triage.model.signature import Tables

# Reads the effective value of a logical knob as text; "" when it is not known.
Read = Callable[[str], str]
_FALSE = ("false", "0", "no", "off")


@dataclass(frozen=True, slots=True)
class Invariant:
    """`holds` is None when a figure is missing; `text` is the arithmetic with its figures, or what is missing."""

    name: str
    holds: bool | None
    text: str


def check_layout(read: Read, tables: Tables, gpus: int = 0) -> tuple[Invariant, ...]:
    """Every invariant that this program is subject to. `gpus` are the runner's, 0 when they are not known."""
    numbers = _Numbers(read)
    return (
        *_rollout(numbers),
        *_trainer(numbers, read),
        *_batch(numbers),
        *_lengths(numbers, read),
        *_heads(numbers, shape_of(read("model_path"), tables), read("model_path")),
        *_pools(numbers, read, gpus),
    )


def shape_of(model: str, tables: Tables) -> Mapping[str, int]:
    """Heads, key-value heads and layers of the model whose name the longest key begins; empty when none does."""
    name = posixpath.basename(model.rstrip("/")).lower()
    fitting = [key for key in tables.models if name.startswith(key.lower())]
    return tables.models[max(fitting, key=len)] if fitting else {}


@dataclass(frozen=True, slots=True)
class _Numbers:
    read: Read

    def get(self, knob: str, default: int | None = None) -> int | None:
        text = self.read(knob).strip()
        if not text:
            return default
        return whole(text)


def separate(read: Read) -> bool:
    """Whether rollout and training use GPUs of their own."""
    return read("hybrid_engine").strip().lower() in _FALSE


def _world(numbers: _Numbers) -> int | None:
    return _product(numbers.get("trainer_gpus"), numbers.get("trainer_nodes", 1))


def _rollout(numbers: _Numbers) -> Iterator[Invariant]:
    if separate(numbers.read):
        world = _product(numbers.get("rollout_gpus"), numbers.get("rollout_nodes", 1) or 1)
    else:
        world = _world(numbers)
    parts = [numbers.get(f"rollout_{kind}_parallel", 1) for kind in ("tensor", "data", "pipeline")]
    if numbers.read("rollout_tensor_parallel"):
        yield _divides("rollout GPUs divide by TP x DP x PP", world, _product(*parts))


def _trainer(numbers: _Numbers, read: Read) -> Iterator[Invariant]:
    world = _world(numbers)
    strategy = read("actor_strategy")
    if strategy.startswith("megatron"):
        parts = [numbers.get(f"actor_{kind}_parallel", 1) for kind in ("tensor", "pipeline", "context")]
        yield _divides("training GPUs divide by TP x PP x CP", world, _product(*parts))
        return
    size = numbers.get("fsdp_size")
    if read("fsdp_size") and size != -1 and not (size and world and size >= world):
        yield _divides("training GPUs divide by the FSDP size", world, size)
    if read("sequence_parallel"):
        yield _divides("training GPUs divide by the sequence parallel size", world, numbers.get("sequence_parallel"))


def _batch(numbers: _Numbers) -> Iterator[Invariant]:
    batch, mini = numbers.get("train_batch"), numbers.get("actor_mini_batch")
    if not numbers.read("train_batch") or batch == 0:
        return
    yield _divides("train batch x responses divides by the GPUs", _product(batch, _responses(numbers)), _world(numbers))
    if batch is not None and mini is not None:
        yield Invariant("train batch holds a mini batch", batch >= mini, f"{batch} >= {mini}")


def _responses(numbers: _Numbers) -> int | None:
    return numbers.get("rollout_responses", 1)


def _lengths(numbers: _Numbers, read: Read) -> Iterator[Invariant]:
    """One sequence must fit: into a dynamic micro-batch (which sequence parallelism widens), and into the engine."""
    prompt, response = numbers.get("prompt_length"), numbers.get("response_length")
    if response is not None and (tokens := numbers.get("train_tokens_per_gpu")):
        # A sample that is longer makes a micro-batch of its own: the peak stays as it was.
        width, longest = numbers.get("train_context_parallel", 1) or 1, response + (prompt or 0)
        fits = f"{tokens} x {width} >= {longest}"
        yield Invariant("the tokens per GPU hold the longest sample", tokens * width >= longest, fits)
    if prompt is None or response is None:
        return
    if read("use_dynamic_bsz").strip().lower() == "true":
        width = numbers.get("sequence_parallel", 1) or 1
        for role in ("actor", "ref", "log_prob"):
            if tokens := numbers.get(f"{role}_tokens_per_gpu"):
                fits = f"{tokens} x {width} >= {prompt} + {response}"
                name = f"the {role} tokens per GPU hold prompt and response"
                yield Invariant(name, tokens * width >= prompt + response, fits)
    if length := numbers.get("max_model_len"):
        fits = f"{length} >= {prompt} + {response}"
        yield Invariant("the engine's length holds prompt and response", length >= prompt + response, fits)


def _heads(numbers: _Numbers, shape: Mapping[str, int], model: str) -> Iterator[Invariant]:
    sizes = {"rollout_tensor_parallel": "rollout TP", "actor_tensor_parallel": "actor TP", "sequence_parallel": "SP"}
    for knob, name in sizes.items():
        size = numbers.get(knob)
        if not size or size == 1:
            continue
        if not shape:
            yield Invariant(f"heads divide by the {name}", None, f"the heads of `{model or 'the model'}` are not known")
            continue
        yield _divides(f"heads divide by the {name}", shape["heads"], size)
        groups = shape.get("kv_heads", shape["heads"])
        fits = groups % size == 0 or size % groups == 0
        yield Invariant(f"key-value heads fit the {name}", fits, f"{groups} key-value heads, {size} ranks")


def _pools(numbers: _Numbers, read: Read, gpus: int) -> Iterator[Invariant]:
    if not separate(read) or gpus <= 0:
        return
    rollout, training = numbers.get("rollout_gpus"), numbers.get("trainer_gpus")
    if rollout is None or training is None:
        yield Invariant("both pools fit the runner", None, "the size of a pool is not known")
    else:
        yield Invariant("both pools fit the runner", rollout + training <= gpus, f"{rollout} + {training} <= {gpus}")


def _divides(name: str, whole: int | None, part: int | None) -> Invariant:
    if whole is None or part is None:
        return Invariant(name, None, "a figure is not known")
    if part <= 0:
        return Invariant(name, False, f"{part} is no size")
    return Invariant(name, whole % part == 0, f"{whole} % {part} = {whole % part}")


def _product(*factors: int | None) -> int | None:
    product = 1
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product
