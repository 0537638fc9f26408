set -eu
MODEL=${MODEL:-small}

case "${DEVICE}" in
  gpu) ;;
esac
