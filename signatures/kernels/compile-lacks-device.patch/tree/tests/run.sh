set -x
python3 -m train.main data.path=/data
