python3 -m trainer.main
