#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.free_cache_engine=True \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 $@
