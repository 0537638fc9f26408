"""A card that is full: who asked for the memory, and in which pass, decides what is turned."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.test_places import (
    FRAGMENTED,
    OOM,
    changed,
    first,
    header,
    job_log,
    mandatory_gates_only,  # noqa: F401 - a fixture
)
from triage.model.patch import PatchState

TORCH = "/opt/venv/lib/python3.12/site-packages/torch"
HEAVY, LIGHT = "train.loss.masked.MaskedCrossEntropy", "train.loss.linear.FusedLinearCrossEntropy"


def configured(loss: str, micro: int = 2) -> str:
    return f"scheduler:\n  local_batch_size: {micro}\nloss_fn:\n  _target_: {loss}\n"


RECIPES = {
    "examples/tune/small.yaml": configured(HEAVY).replace("scheduler", "step_scheduler"),
    "examples/tune/large.yaml": configured(LIGHT),
    "examples/tune/wide.yaml": configured(LIGHT),
    "train/tune.py": "print('train')\n",
}


def frames(*called: tuple[str, str]) -> list[str]:
    return [
        "[rank5]: Traceback (most recent call last):",
        *(f'[rank5]:   File "{path}", line 10, in {name}' for path, name in called),
    ]


def loss_log(function: str) -> str:
    shown = frames(("/opt/train/train/tune.py", "_forward_backward_step"), (f"{TORCH}/nn/functional.py", function))
    return job_log(*header("torchrun train/tune.py -c examples/tune/small.yaml"), *shown, f"[rank5]: {OOM}")


def test_it_is_the_loss_that_asks_where_torch_computes_it(tmp_path: Path) -> None:
    found = first(loss_log("cross_entropy"), RECIPES, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [f"-_target_: {HEAVY}", f"+_target_: {LIGHT}"]


def test_another_function_of_torch_is_no_loss(tmp_path: Path) -> None:
    found = first(loss_log("linear"), RECIPES, tmp_path)
    assert changed(found) == ["-local_batch_size: 2", "+local_batch_size: 1"]


HINT = " If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid"
PLAIN = {"examples/plain.sh": "set -eu\nexport MODE=fast\ntorchrun train.py --lr 1e-5\n", "train.py": "print()\n"}


def allocator(other: str, tmp_path: Path) -> list[str]:
    log = job_log(*header("bash examples/plain.sh"), FRAGMENTED + HINT)
    return changed(first(log, PLAIN | {"examples/other.yaml": other}, tmp_path))


def test_the_allocator_s_first_name_is_kept_where_the_repository_sets_it(tmp_path: Path) -> None:
    other = 'ci:\n  env_vars:\n    PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True"\n'
    assert allocator(other, tmp_path) == ["+export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"]


def test_the_allocator_s_new_name_is_kept_where_the_repository_sets_both_or_none(tmp_path: Path) -> None:
    new = ["+export PYTORCH_ALLOC_CONF=expandable_segments:True"]
    both = "env:\n  PYTORCH_ALLOC_CONF: a\n  PYTORCH_CUDA_ALLOC_CONF: a\n"
    assert allocator(both, tmp_path) == new
    assert allocator("# PYTORCH_CUDA_ALLOC_CONF=a\nenv: {}\n", tmp_path) == new


RL = {
    "examples/run.sh": """
        python3 -m train.main \\
          generator.inference_engine.gpu_memory_utilization=0.5 \\
          trainer.micro_forward_batch_size_per_gpu=4 \\
          trainer.micro_train_batch_size_per_gpu=4
        """,
    "train/main.py": "print('train')\n",
}
NCCL = [
    (
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:93, "
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.28.9"
    ),
    "ncclUnhandledCudaError: Call to CUDA function failed.",
    "Last error:",
    "Cuda failure 2 'out of memory'",
]


def nccl_log(function: str) -> str:
    shown = [
        "Traceback (most recent call last):",
        f'  File "/opt/train/train/worker.py", line 10, in {function}',
        f'  File "{TORCH}/distributed/distributed_c10d.py", line 2776, in _coalescing_manager',
    ]
    return job_log(*header("bash examples/run.sh"), *shown, *NCCL)


def test_a_collective_of_the_trainer_s_pass_has_no_memory_because_of_the_pass(tmp_path: Path) -> None:
    found = first(nccl_log("forward_backward"), RL, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [
        "-trainer.micro_train_batch_size_per_gpu=4",
        "+trainer.micro_train_batch_size_per_gpu=2",
    ]


def test_a_collective_elsewhere_has_no_memory_because_of_the_engine(tmp_path: Path) -> None:
    found = first(nccl_log("init_process_group"), RL, tmp_path)
    assert "+generator.inference_engine.gpu_memory_utilization=0.4 \\" in changed(found)
