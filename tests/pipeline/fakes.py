"""A GitHub and logs in memory, for the pipeline's tests."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from triage.interfaces import LogSource
from triage.model.configuration import Configuration
from triage.model.run import Annotation, Job, PullRequest, Run, Transfer, Unavailable, UnavailableReason
from triage.pipeline.triage import Knowledge
from triage.sources import catalogue

MISSING = "ModuleNotFoundError: No module named 'transfer_queue'"


@dataclass(frozen=True, slots=True)
class TextLog:
    name: str
    text: str

    def open(self) -> BinaryIO:
        return io.BytesIO(self.text.encode())


def job_log(*lines: str, exit_code: int = 1) -> str:
    """A raw job log as the runner writes it, ending as a failed step does."""
    whole = ["Current runner version: '2.336.0'", "##[group]Run python train.py", "##[endgroup]", *lines]
    if exit_code:
        whole.append(f"##[error]Process completed with exit code {exit_code}.")
    whole.append("Cleaning up orphan processes")
    return "".join(f"2026-08-20T03:11:42.{n:07d}Z {line}\n" for n, line in enumerate(whole))


def a_run(conclusion: str | None = "failure", status: str = "completed") -> Run:
    return Run(
        7,
        1,
        "example/train",
        "e2e",
        ".github/workflows/e2e.yml",
        "pull_request",
        status,
        conclusion,
        "a" * 40,
        "feature",
    )


def a_job(number: int, name: str, conclusion: str | None = "failure") -> Job:
    return Job(number, 7, 1, name, "completed" if conclusion else "in_progress", conclusion)


@dataclass
class FakeGitHub:
    listed: Sequence[Job]
    logs: Mapping[int, LogSource | Unavailable] = field(default_factory=dict)
    notes: Mapping[int, Sequence[Annotation]] = field(default_factory=dict)

    def run(self, run_id: int, attempt: int | None = None) -> Run:
        return a_run()

    def jobs(self, run: Run) -> Sequence[Job]:
        return self.listed

    def log(self, job: Job) -> LogSource | Unavailable:
        return self.logs.get(job.id, Unavailable(UnavailableReason.EXPIRED, "gone"))

    def fetch_logs(
        self, jobs: Sequence[Job], on_progress: Callable[[Transfer], None] | None = None
    ) -> Iterator[tuple[Job, LogSource | Unavailable]]:
        # The last one first: nothing may depend on the order in which logs arrive.
        yield from ((job, self.log(job)) for job in reversed(jobs))

    def annotations(self, job: Job) -> Sequence[Annotation]:
        return self.notes.get(job.id, ())

    def newer_runs(self, run: Run, until: datetime) -> Sequence[Run]:
        return ()

    def pull_request_of(self, run: Run) -> PullRequest | None:
        return None

    def snapshot(self, sha: str) -> Path | Unavailable:
        return Unavailable(UnavailableReason.FORBIDDEN, "no contents: read")


def built_in(configuration: Configuration = Configuration()) -> Knowledge:
    return Knowledge.of(catalogue.load(), configuration)
