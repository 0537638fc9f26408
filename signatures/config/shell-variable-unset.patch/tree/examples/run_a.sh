set -eu
DEVICE=${DEVICE:-$(python3 -c 'import fast' 2>/dev/null && echo fast || echo gpu)}
