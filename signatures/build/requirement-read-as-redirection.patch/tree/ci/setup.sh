#!/bin/bash
set -e
pip install -e .
pip install torch<2.0 tqdm
