DATA_ARGS=(
   --data train.parquet
   --input-key messages
   --apply-chat-template
   --shuffle
)
python3 train.py "${DATA_ARGS[@]}"
