set -ex
for NAME in "$@"; do
    python tools/launch.py \
        --name "$NAME" --gpus 1 \
        # The launcher knows extras by their name alone.
        --extra NAME=key \
        --cluster west
done
