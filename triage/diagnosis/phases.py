"""What the job was doing, from the frames of a traceback: frameworks name their functions after their phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.model.diagnosis import Phase
from triage.model.log import Frame


@dataclass(frozen=True, slots=True)
class _Sign:
    """A frame is of this phase when its function is one of `functions` and its path holds one of `paths`.

    An empty tuple allows everything. `*` at a function's end or start stands for anything.
    """

    phase: Phase
    functions: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def holds(self, frame: Frame) -> bool:
        return (not self.functions or any(_same(frame.function, name) for name in self.functions)) and (
            not self.paths or any(path in frame.path for path in self.paths)
        )


_ENGINE_PATHS = ("vllm/", "sglang/", "tensorrt_llm/", "lmdeploy/")
_IMPORT_MACHINERY = ("importlib._bootstrap",)

# In order: an inner phase (the optimizer's step) stands before the outer one (the actor's update) that calls it.
_SIGNS = (
    _Sign(Phase.NCCL_INIT, ("ncclCommInitRank", "init_process_group", "_new_process_group_helper", "new_group")),
    _Sign(
        Phase.WEIGHT_SYNC,
        (
            "update_weights*",
            "update_weight*",
            "sync_weights*",
            "sync_rollout_weights*",
            "_sync_rollout_weights*",
            "broadcast_weights*",
            "receive_weights*",
            "send_weights*",
            "wake_up",
            "resume_memory_occupation",
            "reload_weights",
        ),
    ),
    _Sign(Phase.WEIGHT_SYNC, (), ("sharding_manager", "weight_sync", "weight_transfer", "checkpoint_engine")),
    _Sign(
        Phase.GRAPH_CAPTURE,
        ("capture_model", "capture_one_batch_size", "capture", "init_device_graphs", "init_cuda_graphs", "cuda_graph*"),
    ),
    _Sign(Phase.GRAPH_CAPTURE, (), ("cuda_graph_runner", "cudagraph_utils", "graph_runner")),
    _Sign(Phase.OPTIMIZER_STEP, ("optimizer_step", "_optimizer_step", "_multi_tensor_adam*", "clip_grad_norm*")),
    _Sign(Phase.OPTIMIZER_STEP, (), ("torch/optim/", "distrib_optimizer", "distributed_optimizer")),
    _Sign(Phase.REFERENCE, ("compute_ref_log_prob*", "ref_log_prob*", "_compute_ref*", "compute_reference*")),
    _Sign(Phase.LOG_PROB, ("compute_log_prob*", "_compute_old_log_prob*", "infer_batch", "compute_logprobs")),
    _Sign(Phase.CRITIC_UPDATE, ("update_critic*", "compute_values", "_update_critic*")),
    _Sign(
        Phase.CHECKPOINT,
        ("save_checkpoint*", "_save_checkpoint*", "load_checkpoint*", "save_pretrained", "save_model"),
    ),
    _Sign(Phase.CHECKPOINT, (), ("dist_checkpointing", "distributed/checkpoint/", "checkpoint_manager")),
    _Sign(
        Phase.ACTOR_UPDATE,
        (
            "update_actor*",
            "_update_actor*",
            "update_policy*",
            "forward_backward*",
            "train_batch",
            "train_mini_batch",
            "train_step",
            "training_step",
            "_inner_training_loop",
            "compute_loss",
            "cross_entropy",
            "backward",
        ),
    ),
    _Sign(Phase.ACTOR_UPDATE, ("train", "step"), ("transformers/trainer", "trl/trainer", "accelerate/accelerator")),
    _Sign(
        Phase.ROLLOUT_START,
        (
            "determine_available_memory",
            "determine_num_available_blocks",
            "_determine_num_available_blocks",
            "profile_run",
            "_initialize_kv_caches",
            "initialize_kv_cache*",
            "init_memory_pool",
            "_allocate_kv_cache*",
            "init_device",
            "load_model",
            "_init_executor",
            "init_torch_distributed",
            "launch_server",
            "wait_for_engine_startup",
            "compile_or_warm_up_model",
        ),
        _ENGINE_PATHS,
    ),
    _Sign(Phase.ROLLOUT, ("generate_sequences*", "generate_batch", "forward_batch_generation", "event_loop*")),
    _Sign(Phase.ROLLOUT, ("execute_model", "run_busy_loop", "step", "_process_engine_step"), _ENGINE_PATHS),
    _Sign(
        Phase.MODEL_LOAD,
        (
            "from_pretrained",
            "init_model",
            "build_model",
            "_build_model*",
            "load_state_dict",
            "load_model",
            "*load_full_state_dict",
            "_init_weights",
        ),
    ),
    _Sign(Phase.IMPORT, (), _IMPORT_MACHINERY),
)

_MESSAGES = (
    ("CUBLAS_STATUS_ALLOC_FAILED", Phase.CUBLAS_HANDLE),
    ("cublasCreate", Phase.CUBLAS_HANDLE),
    ("hipblasCreate", Phase.CUBLAS_HANDLE),
    ("ncclCommInitRank", Phase.NCCL_INIT),
    ("ncclCommInitRankConfig", Phase.NCCL_INIT),
)

_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


def phase_of_message(message: str) -> Phase:
    return next((phase for words, phase in _MESSAGES if words in message), Phase.UNKNOWN)


def phase_of(frames: Sequence[Frame], error_type: str = "", message: str = "") -> Phase:
    """The phase that the frames name, the most telling sign first; UNKNOWN when they name none."""
    said = phase_of_message(message)
    if said is not Phase.UNKNOWN:
        return said
    if error_type.rpartition(".")[2] in _IMPORT_ERRORS:
        return Phase.IMPORT
    for sign in _SIGNS:
        if any(sign.holds(frame) for frame in frames):
            return sign.phase
    return Phase.UNKNOWN


def _same(function: str, name: str) -> bool:
    if name.endswith("*"):
        return function.startswith(name[:-1])
    return function.endswith(name[1:]) if name.startswith("*") else function == name
