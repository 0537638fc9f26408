"""Sizes of a training that do not go together: batches that nobody can share out, groups that the GPUs cannot form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.seeded.launch import Command, commands, pick
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_LAUNCHES = re.compile(r"\b(?:python3?|uv run|torchrun|accelerate|deepspeed)\b")
_BEGUN = "Traceback (most recent call last):"
# The new value and what the program says of it; "" where the place does not bear it.
_Fault = Callable[[Command, int], tuple[int, str]]


def train_batch(site: Site) -> Iterator[Seed]:
    """A batch that the GPUs cannot share."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        gpus = _number(command, r"trainer\.n_gpus_per_node") * _number(command, r"trainer\.nnodes")
        times = _number(command, r"rollout\.n") if "rollout.n=" in command.joined else 1
        new = next((one for one in (old - 4, old - 2, old + 1) if gpus and one > 0 and one * times % gpus), 0)
        if "actor_rollout_ref" not in command.joined or not times or old * times % (gpus or 1) or not new:
            return 0, ""
        what = "minimal possible batch size" if old % 3 else "total n_gpus"
        return new, f"AssertionError: real_train_batch_size ({new * times}) must be divisible by {what} ({gpus})"

    return _set(site, r"data\.train_batch_size", fault)


def sft_batch(site: Site) -> Iterator[Seed]:
    """The same for a trainer that torchrun starts."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        gpus = _number(command, r"--nproc[-_]per[-_]node")
        new = old - 2
        if "sft_trainer" not in command.joined or gpus < 2 or old % gpus or new < 1 or not new % gpus:
            return 0, ""
        return new, f"AssertionError: Global batch size {new} is not divisible by dp size {gpus}"

    return _set(site, r"data\.train_batch_size", fault)


def mini_batch(site: Site) -> Iterator[Seed]:
    """A mini-batch larger than the batch."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        batch = _number(command, r"data\.train_batch_size")
        new = batch * 4
        fits = batch and old <= batch
        return (
            (new, f"ValueError: train_batch_size ({batch}) must be >= actor.ppo_mini_batch_size ({new})")
            if fits
            else (0, "")
        )

    return _set(site, r"actor_rollout_ref\.actor\.ppo_mini_batch_size", fault)


def rollout_parallel(site: Site) -> Iterator[Seed]:
    """An engine over a number of GPUs that does not divide those of the node."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        gpus = _number(command, r"trainer\.n_gpus_per_node") * _number(command, r"trainer\.nnodes")
        if gpus < 2 or gpus % 3 == 0 or gpus % old:
            return 0, ""
        return 3, f"AssertionError: rollout world_size: {gpus} is not divisible by infer_tp: 3"

    return _set(site, r"actor_rollout_ref\.rollout\.tensor_model_parallel_size", fault)


def tokens_of_engine(site: Site) -> Iterator[Seed]:
    """An engine that takes fewer tokens at once than one sequence has."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        lengths = _number(command, r"data\.max_prompt_length"), _number(command, r"data\.max_response_length")
        if not all(lengths) or old < sum(lengths):
            return 0, ""
        return sum(lengths) // 2, (
            "ValueError: Enable chunked prefill, max_num_batched_tokens is smaller than max_model_len,"
            " please increase max_num_batched_tokens or disable chunked prefill"
        )

    return _set(site, r"actor_rollout_ref\.rollout\.max_num_batched_tokens", fault)


def global_batch(site: Site) -> Iterator[Seed]:
    """Megatron's global batch, which its micro-batches do not fill."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        micro, ranks = _number(command, r"--micro-batch-size"), _ranks(command)
        new = old - 2
        if not micro or ranks < 1 or micro * ranks < 3 or old % (micro * ranks) or new < 1:
            return 0, ""
        said = f"global batch size ({new}) is not divisible by micro batch size ({micro}) times data parallel size"
        return new, f"AssertionError: {said} ({ranks})"

    return _set(site, r"--global-batch-size", fault)


def tensor_parallel(site: Site) -> Iterator[Seed]:
    """Megatron's tensor-parallel size, which no group of the GPUs has."""

    def fault(command: Command, old: int) -> tuple[int, str]:
        world, ranks = _world(command), _ranks(command)
        if not world or ranks < 1 or world % 3 == 0:
            return 0, ""
        pipeline = world // ranks // old
        new = old * ranks * 2
        return new, f"RuntimeError: world_size ({world}) is not divisible by {new * pipeline}"

    return _set(site, r"--tensor-model-parallel-size", fault)


def _world(command: Command) -> int:
    """The GPUs that torchrun starts a process for."""
    nodes = _number(command, r"--nnodes") if "--nnodes" in command.joined else 1
    return _number(command, r"--nproc[-_]per[-_]node") * nodes


def _ranks(command: Command) -> int:
    """How often the model is there; 0 where that cannot be told."""
    parts = 1
    for name in ("--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size"):
        parts *= _number(command, name) if name in command.text else 1
    world = _world(command)
    return world // parts if parts and world and world % parts == 0 else 0


def _number(command: Command, name: str) -> int:
    """What the command, or its file, sets it to, through one variable; 0 where that is no number."""
    found = re.findall(rf"(?<![\w.-]){name}[= ]+[\"']?(\$?\{{?\w+)", command.joined) or re.findall(
        rf"(?<![\w.-]){name}[= ]+[\"']?(\$?\{{?\w+)", command.text
    )
    values = {_read(command.text, one) for one in found}
    return values.pop() if len(values) == 1 else 0


def _read(text: str, word: str) -> int:
    if word.startswith("$"):
        held = re.findall(rf"^\s*(?:export )?{word.strip('${')}=[\"']?(\d+)[\"']?\s*$", text, re.M)
        word = held[0] if len(held) == 1 else ""
    return int(word) if word.isdecimal() else 0


def _set(site: Site, name: str, fault: _Fault) -> Iterator[Seed]:
    """One of each file, whose value stands in a launching command."""
    pattern = re.compile(rf"(?<![\w.-]){name}(?:=| )(?P<value>\d+)(?=[\s\"'\\]|$)")
    seen = set()
    for command in commands(site):
        own = [(n, line) for n, line in command.lines if pattern.search(line) and command.text.count(line) == 1]
        chosen = pick(own, command.path)
        if not chosen or command.path in seen or not _starts(command):
            continue
        found = pattern.search(chosen[1])
        assert found
        new, said = fault(command, int(found["value"]))
        if said:
            seen.add(command.path)
            line = f"{chosen[1][: found.start('value')]}{new}{chosen[1][found.end('value') :]}"
            yield command.seed(chosen[0], line, (_BEGUN, *_WAY, said), f"{found[0]} -> {new}")


def _starts(command: Command) -> bool:
    """Whether it starts a training, itself or with arguments that a variable of the file hands it."""
    return bool(_LAUNCHES.search(command.joined)) or bool(
        re.match(r"\s*\w+\s*(?:\+?=)\s*[(\"']|\s*--", command.joined) and _LAUNCHES.search(command.text)
    )


_WAY = ('  File "/workspace/train/trainer/main.py", line 212, in run', "    check(config)")
