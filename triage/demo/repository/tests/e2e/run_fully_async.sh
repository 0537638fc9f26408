#!/usr/bin/env bash
set -xeuo pipefail

ACTOR_STRATEGY=${ACTOR_STRATEGY:-"fsdp2"}
rollout_name=${ROLLOUT_NAME:-"vllm"}
NUM_GPUS=8
n_gpus_rollout=$((NUM_GPUS / 2))
n_gpus_training=$((NUM_GPUS - n_gpus_rollout))

common_params=(
    data.train_batch_size=0
    actor_rollout_ref.hybrid_engine=False
    actor_rollout_ref.model.path="${HOME}/models/example-0.5B"
    actor_rollout_ref.rollout.name=${rollout_name}
    actor_rollout_ref.rollout.gpu_memory_utilization=0.80
    trainer.n_gpus_per_node=${n_gpus_training}
    rollout.n_gpus_per_node=${n_gpus_rollout}
)

if [ "${ACTOR_STRATEGY}" == "fsdp2" ]; then
    if [ "${rollout_name}" = "trtllm" ]; then
        gen_tp=${GEN_TP:-${n_gpus_rollout}}
    else
        gen_tp=1
    fi
    fsdp_size=1

    python3 -m train.trainer.fully_async_main \
        "${common_params[@]}" \
        actor_rollout_ref.actor.fsdp_config.strategy=fsdp2 \
        actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} \
        actor_rollout_ref.actor.fsdp_config.fsdp_size=${fsdp_size} $@
elif [ "${ACTOR_STRATEGY}" == "megatron" ]; then
    gen_tp=2
    python3 -m train.trainer.fully_async_main --config-name=fully_async_megatron \
        "${common_params[@]}" \
        actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 \
        actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} $@
else
    echo "unknown strategy ${ACTOR_STRATEGY}" >&2
    exit 1
fi
