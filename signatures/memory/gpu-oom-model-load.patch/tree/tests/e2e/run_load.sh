#!/usr/bin/env bash
set -xeuo pipefail

gen_tp=${GEN_TP:-1}

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} $@
