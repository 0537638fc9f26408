set -x
NGPUS_PER_NODE=${NGPUS_PER_NODE:-16}

python3 -m trainer.main \
    trainer.nnodes=1 \
    trainer.n_gpus_per_node="${NGPUS_PER_NODE}" \
    "$@"
