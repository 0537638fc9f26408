export VLLM_ATTENTION_BACKEND=XFORMERS
python3 -m train.main
