torchrun --nproc-per-node 8 train.py \
  --lr 1e-5 \
  --steps 100 
