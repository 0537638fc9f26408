python3 -m trainer.main data.train_files=/root/data/gsm8k/train.parquet
