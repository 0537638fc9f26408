#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.9 $@
