#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 $@
