import yaml

with open("configs/pipeline.yaml") as file:
    size = yaml.safe_load(file)["step_scheduler"]["local_batch_size"]
