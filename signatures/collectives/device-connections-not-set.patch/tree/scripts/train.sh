#!/bin/bash
set -eu
RUNTIME_ENV_JSON="{
  \"env_vars\": {
    \"MASTER_ADDR\": \"${MASTER_ADDR}\"
  }
}"
ray job submit --address=http://127.0.0.1:8265 \
   --runtime-env-json="${RUNTIME_ENV_JSON}" \
   -- python3 train.py --sequence-parallel
