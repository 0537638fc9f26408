set -eu
uv run examples/run_distill.py \
    --config configs/distill.yaml \
    policy.dtensor_cfg.context_parallel_size=2 \
    policy.make_sequence_length_divisible_by=2 \
    "$@"
