import hydra


@hydra.main(config_path="config", config_name="ppo", version_base=None)
def main(config):
    print(config)


if __name__ == "__main__":
    main()
