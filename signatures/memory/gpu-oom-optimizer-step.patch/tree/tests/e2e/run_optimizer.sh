#!/usr/bin/env bash
set -xeuo pipefail

fsdp_size=1
gen_tp=1

python3 -m trainer.main_ppo \
    actor_rollout_ref.hybrid_engine=False \
    actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} \
    actor_rollout_ref.actor.fsdp_config.fsdp_size=${fsdp_size} $@
