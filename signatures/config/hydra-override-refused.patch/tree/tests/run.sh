python3 -m trainer.main \
    rollout.tp=2 \
    +rollout.fsdp_size=${FSDP_SIZE:-2} \
    2>&1 | tee out.log
