#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.max_model_len=32768 $@
