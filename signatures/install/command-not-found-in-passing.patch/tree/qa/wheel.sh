set -x
conda run -n train pip install build
pip install wheel
