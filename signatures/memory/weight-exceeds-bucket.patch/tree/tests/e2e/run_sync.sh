#!/usr/bin/env bash
set -xeuo pipefail

common_params=(
    actor_rollout_ref.rollout.gpu_memory_utilization=0.70
    actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes=1024
)

python3 -m trainer.main_ppo \
    "${common_params[@]}" \
    actor_rollout_ref.hybrid_engine=False $@
