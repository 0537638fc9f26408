"""The closed list of families: causes share one when the same person would start at the same place; and the owners."""

_NAMES = """
    abi-mismatch attention-backend backend-unavailable build-failure ci-action-setup ci-cancelled ci-runner-lost
    ci-timeout code-error command-not-found config-error credentials custom-all-reduce fused-all-reduce
    dependency-version disk-full docker-image free-memory-below-target gpu-arch-unsupported gpu-hardware
    gpu-kernel-fault gpu-oom hang hccl-error hf-hub hip-error host-oom hydra-config kv-cache-too-small lint-failure
    missing-data missing-requirement missing-shared-lib nccl-error nccl-timeout network numeric-mismatch
    offload-conflict parallelism-constraint perf-regression permission pip-resolution port-in-use pytest-failure
    rate-limit ray-actor-died ray-compiled-graph-timeout rendezvous-timeout segfault server-start-timeout
    shm-bus-error triton-compile workflow-syntax
"""

FAMILIES = frozenset(_NAMES.split())

# Who owns the built-in signatures. A repository may have areas of its own.
AREAS = ("build", "code", "config", "data", "infra", "kernels", "rollout", "tests", "training")
