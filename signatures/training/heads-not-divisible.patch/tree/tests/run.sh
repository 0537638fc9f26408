set -x
SIZE=${SIZE:-8}

python3 -m trainer.main \
    trainer.nnodes=1 \
    actor_rollout_ref.rollout.tensor_model_parallel_size="${SIZE}" \
    "$@"
