import yaml

with open("recipes/sft.yaml") as file:
    minutes = yaml.safe_load(file)["dist_env"]["timeout_minutes"]
