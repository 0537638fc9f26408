#!/usr/bin/env bash
set -xeuo pipefail

python3 -m trainer.main_ppo trainer.total_training_steps=4 "$@"
