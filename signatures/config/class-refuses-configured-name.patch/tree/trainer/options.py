from dataclasses import dataclass


@dataclass
class RolloutConfig:
    name: str = "vllm"
    tp_size: int = 1
