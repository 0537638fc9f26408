#!/usr/bin/env bash
set -xeuo pipefail

NUM_GPUS=${NUM_GPUS:-8}
ACTOR_STRATEGY=${ACTOR_STRATEGY:-"fsdp2"}  # fsdp2 or megatron
rollout_name=${ROLLOUT_NAME:-"vllm"}

n_gpus_rollout=$((NUM_GPUS / 2))
n_gpus_training=$((NUM_GPUS / 2))

common_params=(
    actor_rollout_ref.hybrid_engine=False
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
    python3 -m trainer.fully_async_main \
        "${common_params[@]}" \
        actor_rollout_ref.actor.fsdp_config.strategy=fsdp2 \
        actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} \
        actor_rollout_ref.actor.fsdp_config.fsdp_size=${fsdp_size} $@
elif [ "${ACTOR_STRATEGY}" == "megatron" ]; then
    gen_tp=2
    train_tp=2
    python3 -m trainer.fully_async_main \
        --config-name=fully_async_megatron \
        "${common_params[@]}" \
        actor_rollout_ref.actor.strategy=megatron \
        actor_rollout_ref.actor.megatron.tensor_model_parallel_size=${train_tp} \
        actor_rollout_ref.rollout.tensor_model_parallel_size=${gen_tp} $@
else
    echo "Unknown strategy ${ACTOR_STRATEGY}"
    exit 1
fi
