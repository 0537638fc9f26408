set -x
python3 -m pytest tests/rollout
