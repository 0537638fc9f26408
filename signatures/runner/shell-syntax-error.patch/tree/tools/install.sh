#!/bin/bash
if [ "$WITH_KERNELS" = 1 ]; then
    make kernels

make all
