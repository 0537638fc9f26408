#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.ref.log_prob_max_token_len_per_gpu=16384 $@
