"""What a rerun costs: GPUs x expected minutes, by the runner's labels and the history, or the job's own duration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from triage.model.configuration import Configuration, RunnerLabel
from triage.model.run import Job
from triage.pipeline.outcomes import Place


@dataclass(frozen=True, slots=True)
class Price:
    """`gpus` 0: the labels do not say. `minutes` are expected; `measured`: by jobs that passed, not by this failure.

    `money` is in `currency`, the configuration's word for it; 0 when no price is configured.
    """

    gpus: int
    minutes: float
    measured: bool
    money: float = 0.0
    currency: str = ""

    @property
    def gpu_hours(self) -> float:
        return self.gpus * self.minutes / 60

    def __str__(self) -> str:
        # A job that failed early would have taken longer.
        about = "about" if self.measured else "at least"
        if not self.gpus:
            return f"{about} {self.minutes:.0f} minutes of a machine"
        said = f"{about} {self.gpu_hours:.1f} GPU-hours ({self.gpus} x {self.minutes:.0f} minutes)"
        return f"{said}, {self.money:.2f} {self.currency or 'in money'}" if self.money else said


def price(job: Job, configuration: Configuration, seconds: int = 0) -> Price:
    """`seconds`: how long the job takes when it passes, 0 when nobody knows."""
    gpus = Place("", configuration).pool(job.labels).gpus
    measured = seconds > 0
    if not measured and job.started_at and job.completed_at:
        seconds = max(0, int((job.completed_at - job.started_at).total_seconds()))
    minutes = seconds / 60
    money = gpus * minutes / 60 * unit_price(job.labels, configuration.runners)
    return Price(gpus, minutes, measured, money, configuration.currency)


def unit_price(labels: Sequence[str], runners: Sequence[RunnerLabel]) -> float:
    """What a GPU-hour of such a runner costs, by the first configured label that fits; 0: not said."""
    for known in runners:
        if any(fnmatchcase(label, known.label) for label in labels):
            return known.price
    return 0.0
