python train.py \
    --samples_per_prompt 1 \
    --kind group_norm
