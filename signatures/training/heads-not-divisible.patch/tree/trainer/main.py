import hydra


@hydra.main(config_path="config", config_name="trainer", version_base=None)
def main(config): ...
