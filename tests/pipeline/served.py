"""The made-up GitHub of the sync's tests, served over HTTP by the embedded server."""

from __future__ import annotations

from tests.pipeline.made_up_github import REPO, MadeUpGitHub
from triage.demo.server import World
from triage.model.run import Job, Repository

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 44.53 GiB"


def log_of(job: Job, lines: int = 120) -> bytes:
    """A job's log as GitHub stores it: stamps, a step's header, output, the failure."""
    said = [f"##[group]Run python train.py --job {job.name}", "##[endgroup]"]
    said += [f"step {number}: loss {1 / number:.4f}" for number in range(1, lines)]
    said += ["Traceback (most recent call last):", '  File "/train/actor.py", line 7, in update_policy', OOM]
    said += ["##[error]Process completed with exit code 1."]
    return "".join(f"2026-11-20T00:10:00.{number:07d}Z {text}\n" for number, text in enumerate(said)).encode()


def world_of(github: MadeUpGitHub) -> World:
    runs = [run for attempts in github.runs.values() for run in attempts]
    jobs: dict[tuple[int, int], list[Job]] = {}
    for run_id, listed in github.jobs_of.items():
        for job in listed:
            jobs.setdefault((run_id, job.attempt), []).append(job)
    logs = {job.id: log_of(job) for listed in github.jobs_of.values() for job in listed if job.conclusion == "failure"}
    return World(Repository(REPO, "main"), runs=runs, jobs=jobs, logs=dict(logs))
