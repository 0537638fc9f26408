set -ex
for NAME in "$@"; do
    python tools/launch.py \
        --name "$NAME" --gpus 1 \
        # The launcher knows secrets by their name alone.
        --secret NAME=key \
        --cluster west
done
