"""The log of a job that fails at a seeded fault, as the runner writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from tests.seeded.seed import Seed
from tests.seeded.site import Job

_BEGUN = datetime.fromisoformat("2026-03-04T08:14:07")
_HEAD = (
    "Current runner version: '2.329.0'",
    "Runner name: 'gpu-runner-7'",
    "Machine name: 'gpu-runner-7'",
)
_PREPARED = ("Secret source: Actions", "Prepare workflow directory", "Prepare all required actions")
# What a job may do whose workflow says nothing, where the repository keeps to the safer default.
_DEFAULT = {"contents": "read", "packages": "read"}
_TAIL = ("Post job cleanup.", "[command]/usr/bin/git version", "git version 2.49.0", "Cleaning up orphan processes")


def written(job: Job, seed: Seed) -> str:
    """`job`: as it ran. With a byte order mark and a stamp a line; a run without jobs has neither."""
    if seed.step < 0 and not seed.setting_up:
        return "".join(f"{line}\n" for line in seed.lines)
    if not job.workflow:
        return "".join(f"{line}\n" for line in _by_hand(job, seed))
    return "\ufeff" + "".join(
        f"{_BEGUN + timedelta(milliseconds=137 * number):%Y-%m-%dT%H:%M:%S.%f}0Z {line}\n"
        for number, line in enumerate(_lines(job, seed))
    )


def _by_hand(job: Job, seed: Seed) -> Iterator[str]:
    """What a terminal shows: no workflow runs the script."""
    yield from (f"$ {script}" for _, script in job.runs())
    yield from (line for line in seed.lines if not line.startswith("##[error]"))


def _lines(job: Job, seed: Seed) -> Iterator[str]:
    yield from _HEAD
    yield from _permissions(job)
    yield from _PREPARED
    yield f"Complete job name: {job.name}"
    for number, step in enumerate(job.steps[: seed.step + 1]):
        yield from _header(job, step)
        yield from seed.earlier.get(number, ())
    yield from seed.lines
    if not any(line.startswith("##[error]") for line in seed.lines):
        yield f"##[error]Process completed with exit code {seed.code}."
    yield from _TAIL


def _permissions(job: Job) -> Iterator[str]:
    """The group that lists what the job's token may do, in the runner's spelling."""
    granted = {**(_DEFAULT if job.permissions is None else job.permissions), "metadata": "read"}
    yield "##[group]GITHUB_TOKEN Permissions"
    for scope, access in sorted(granted.items()):
        if scope != "id-token" and access != "none":
            yield f"{''.join(part.capitalize() for part in scope.split('-'))}: {access}"
    yield "##[endgroup]"


def _header(job: Job, step: Mapping[str, Any]) -> Iterator[str]:
    """The group that the runner prints before a step."""
    if isinstance(step.get("run"), str):
        lines = job.filled(step["run"]).rstrip("\n").split("\n")
        yield f"##[group]Run {next((line for line in lines if line.strip()), '')}"
        yield from (f"\x1b[36;1m{line}\x1b[0m" for line in lines)
        yield f"shell: {'sh' if job.body.get('container') else '/usr/bin/bash'} -e {{0}}"
    else:
        yield f"##[group]Run {step.get('uses', '')}"
        yield from _settings(job, "with", step.get("with"))
    own = step.get("env")
    yield from _settings(job, "env", {**job.env, **(own if isinstance(own, dict) else {})})
    yield "##[endgroup]"


def _settings(job: Job, title: str, values: object) -> Iterator[str]:
    if isinstance(values, dict) and values:
        yield f"{title}:"
        yield from (f"  {name}: {job.filled(str(value))}" for name, value in values.items())
