set -x
SIZE=${SIZE:-65536}

python3 -m trainer.main \
    trainer.nnodes=1 \
    actor_rollout_ref.rollout.max_model_len="${SIZE}" \
    "$@"
