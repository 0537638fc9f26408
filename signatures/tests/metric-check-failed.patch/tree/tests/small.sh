set -e
python train.py --steps 200
python tests/check.py metrics.json \
  'data["train/loss"]["200"] < 0.1' \
  'data["train/reward"]["200"] > 0.9'
