loss=0.1
python3 -m train.main \
    actor.size=2 \
    +actor.transformer.aux_loss=${loss} \
    +actor.transformer.update_rate=0.0 \
    +actor.transformer.layers=2 \
    actor.offload=True
