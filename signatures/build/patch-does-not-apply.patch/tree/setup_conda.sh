#!/usr/bin/env bash
git clone https://git.example.com/example/trainer-core.git
cd trainer-core
git checkout 0123456789abcdef0123456789abcdef01234567
pip install -e .
