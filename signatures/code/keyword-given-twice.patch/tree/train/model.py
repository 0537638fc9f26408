def build(hf, settings):
    return _to_config(hf, aux_loss=0.0, update_rate=0.001, **settings)
