set -ex
ray job submit --address="http://127.0.0.1:8265" \
  --runtime-env-json='{
  "env_vars": {
    "MODE": "fast",
  }
}' -- python3 train.py
