set -x
python3 -m trainer.main \
    trainer.rollout.name=vllm \
    +trainer.rollout.dp_size=1 \
    trainer.steps=1
