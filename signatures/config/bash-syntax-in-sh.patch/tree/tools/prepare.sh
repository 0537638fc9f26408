#!/bin/bash
set -euo pipefail
python prepare.py
