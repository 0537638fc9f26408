"""The failed job that a fix is for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """`job` is an id or a displayed name ("test (fsdp2, 8)", "caller / callee"); `labels` are the runner's."""

    workflow_path: str
    job: str
    step: str = ""
    labels: tuple[str, ...] = ()
