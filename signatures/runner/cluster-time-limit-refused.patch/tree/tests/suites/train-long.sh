# BEGIN CONFIG
NUM_NODES=4
NUM_MINUTES=300  # one run
# END CONFIG
python train.py "$@"
