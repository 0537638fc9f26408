#!/bin/bash
NIGHTLY="dev20241121"
pip install torch==2.6.0.${NIGHTLY} torchvision==0.20.0.${NIGHTLY} --extra-index-url https://wheels.example/nightly/cpu
