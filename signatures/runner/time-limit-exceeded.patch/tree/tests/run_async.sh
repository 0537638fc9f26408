set -x
python3 -m trainer.main "$@"
