set -e
cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES="80;90;100;120"
cmake --build build
