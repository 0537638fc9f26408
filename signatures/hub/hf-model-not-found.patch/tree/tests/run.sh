python train.py --model ~/models/example/tiny
