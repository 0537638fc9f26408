#!/usr/bin/env bash
set -xeuo pipefail

EXP_NAME=${EXP_NAME:-"small"}
SAVE_FREQ=${SAVE_FREQ:-"-1"}
RESUME=${RESUME:-"disable"}
INFER_TP=${INFER_TP:-2}
ENGINE=${ENGINE:-"vllm"}

python3 -m trainer.main_ppo \
    actor_rollout_ref.rollout.name="${ENGINE}" \
    actor_rollout_ref.rollout.tensor_model_parallel_size=${INFER_TP} \
    trainer.experiment_name="${EXP_NAME}" \
    trainer.save_freq=${SAVE_FREQ} \
    trainer.resume_mode="${RESUME}" $@ \
    | tee log.txt
