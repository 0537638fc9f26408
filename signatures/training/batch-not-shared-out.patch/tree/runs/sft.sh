torchrun --nproc_per_node=4 -m trainer.sft \
    data.train_batch_size=126 \
    trainer.total_epochs=1
