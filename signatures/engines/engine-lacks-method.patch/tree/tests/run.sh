set -x
export VLLM_USE_V1=1
python3 -m train.main data.path=/data
