#!/usr/bin/env bash
set -xeuo pipefail

FSDP_SIZE=${FSDP_SIZE:-1}

python3 -m trainer.main_ppo \
    actor_rollout_ref.actor.strategy=fsdp2 \
    actor_rollout_ref.actor.fsdp_config.fsdp_size=${FSDP_SIZE} $@
