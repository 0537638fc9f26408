import hydra


@hydra.main(config_path="config", config_name="generate", version_base=None)
def main(config): ...
