python3 -m trainer.main \
    data.max_prompt_length=512 \
    data.max_response_length=1024 \
    actor_rollout_ref.rollout.max_num_batched_tokens=1024
