from dataclasses import dataclass


@dataclass
class OptimConfig:
    learning_rate: float = 1e-5
    warmup_steps: int = 0
