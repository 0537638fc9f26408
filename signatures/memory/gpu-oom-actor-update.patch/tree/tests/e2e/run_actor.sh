#!/usr/bin/env bash
set -xeuo pipefail

max_prompt_length=512
max_response_length=1024
ppo_max_token_len_per_gpu=8192

python3 -m trainer.main_ppo \
    data.max_prompt_length=${max_prompt_length} \
    data.max_response_length=${max_response_length} \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=${ppo_max_token_len_per_gpu} $@
