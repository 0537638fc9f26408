python3 -m train.main
