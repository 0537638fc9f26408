set -e
TRAIN_DEBUG=True TRAIN_COMPILE=0 pytest tests/test_layers.py
TRAIN_DEBUG=True pytest tests/test_sizes.py
