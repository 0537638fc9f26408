#!/bin/bash
set -eu
export HF_HUB_OFFLINE="1"

pytest -sv tests/serving/test_engine.py
