python train.py \
    --samples_per_prompt 8 \
    --kind group
