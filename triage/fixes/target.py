"""The failed job that a fix is for."""

from __future__ import annotations

from dataclasses import dataclass

from triage.model.diagnosis import Facts


@dataclass(frozen=True, slots=True)
class Target:
    """`job` is an id or a displayed name ("test (fsdp2, 8)", "caller / callee"); `labels` are the runner's.

    `script` is the text of the failed step as its header shows it: it tells steps apart that begin with the same line.
    `earlier` counts the steps with the same header that ran before it, -1: not known. `environment` is what the header
    shows as set, NAME=value. `typed` are the commands behind a prompt, where a log has no headers.
    """

    workflow_path: str
    job: str
    step: str = ""
    labels: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    earlier: int = -1


def facts_of(facts: Facts, target: Target, workflow_path: str, job: str) -> Facts:
    """What the failed job's log says, for that job; for another one only what holds for both."""
    if (workflow_path, job) == (target.workflow_path, target.job):
        return facts
    return Facts(platform=facts.platform, frameworks=facts.frameworks, layout=facts.layout)
