#!/usr/bin/env bash
set -xeuo pipefail

torchrun --nproc_per_node=8 train.py
