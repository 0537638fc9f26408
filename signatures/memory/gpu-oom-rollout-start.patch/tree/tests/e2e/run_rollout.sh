#!/usr/bin/env bash
set -xeuo pipefail

GPU_MEMORY_UTILIZATION=${GPU_MEMORY_UTILIZATION:-0.9}

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.rollout.gpu_memory_utilization=${GPU_MEMORY_UTILIZATION} "$@"
