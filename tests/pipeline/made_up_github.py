"""A GitHub for the sync's tests: runs with attempts and jobs, listed at most a thousand (or fewer) at a time."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import BinaryIO

from triage.errors import GitHubError
from triage.interfaces import LogSource
from triage.model.diagnosis import Cause, JobDiagnosis
from triage.model.log import Confidence, Line
from triage.model.run import Allowance, Annotation, Job, Run, RunPage, Unavailable
from triage.model.signature import Category, Rank

REPO = "example/train"
START = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TextLog:
    name: str
    text: str

    def open(self) -> BinaryIO:
        return io.BytesIO(self.text.encode())


@dataclass
class MadeUpGitHub:
    """`runs`: by id, all attempts, oldest first. `cap`: GitHub's thousand. `calls` counts requests by kind.

    `lost`: counted and not listed; `counts`: whether listings count at all.
    """

    runs: dict[int, list[Run]] = field(default_factory=dict)
    jobs_of: dict[int, list[Job]] = field(default_factory=dict)
    cap: int = 1000
    left: int | None = None
    calls: Counter[str] = field(default_factory=Counter)
    broken: dict[int, GitHubError] = field(default_factory=dict)
    hidden_days: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    counts: bool = True

    def add(self, run_id: int, created: datetime, conclusions: Sequence[Sequence[str]], **fields: object) -> None:
        """`conclusions`: for each attempt, those of its jobs "job-0", "job-1", ..., "" where a job did not run again."""
        attempts = []
        for number, of_jobs in enumerate(conclusions, start=1):
            began = created + timedelta(hours=number - 1)
            failed = any(conclusion == "failure" for conclusion in of_jobs)
            run = Run(
                id=run_id, attempt=number, repo=REPO, workflow="e2e", workflow_path=".github/workflows/e2e.yml",
                event="push", status="completed", conclusion="failure" if failed else "success", head_sha=f"{run_id:040x}",
                head_branch="main", head_repo=REPO, actor="ada", created_at=created, started_at=began,
                updated_at=began + timedelta(minutes=50), url=f"https://github.example/{REPO}/actions/runs/{run_id}",
            )  # fmt: skip
            attempts.append(replace(run, **fields))  # type: ignore[arg-type]
            for place, conclusion in enumerate(of_jobs):
                if conclusion:
                    self.jobs_of.setdefault(run_id, []).append(_job(run_id, number, place, conclusion, began))
        self.runs[run_id] = attempts

    def run_page(self, start: datetime, end: datetime, page: int) -> RunPage:
        self._spend("page")
        found = [run[-1] for run in self.runs.values() if start <= (run[0].created_at or start) <= end]
        if start.toordinal() in self.hidden_days:
            found = []
        found.sort(key=lambda run: (run.created_at or start, run.id), reverse=True)
        listed = [run for run in found if run.id not in self.lost][: self.cap]
        return RunPage(len(found) if self.counts else 0, tuple(listed[(page - 1) * 100 : page * 100]))

    def run(self, run_id: int, attempt: int | None = None) -> Run:
        self._spend("run", run_id)
        return self.runs[run_id][(attempt or 0) - 1]

    def all_jobs(self, run: Run) -> Sequence[Job]:
        self._spend("jobs", run.id)
        return self.jobs_of.get(run.id, [])

    def log(self, job: Job) -> LogSource | Unavailable:
        self._spend("log", job.run_id)
        return TextLog(f"{job.id}.log", f"error of {job.name}\n")

    def annotations(self, job: Job) -> Sequence[Annotation]:
        self._spend("annotations")
        return ()

    def allowance(self) -> Allowance:
        return Allowance(self.left, START if self.left is not None else None)

    def _spend(self, kind: str, run_id: int = 0) -> None:
        if run_id in self.broken:
            raise self.broken[run_id]
        self.calls[kind] += 1
        if self.left is not None:
            self.left -= 1


def _job(run_id: int, attempt: int, place: int, conclusion: str, began: datetime) -> Job:
    return Job(
        id=run_id * 100 + attempt * 10 + place, run_id=run_id, attempt=attempt, name=f"job-{place}", status="completed",
        conclusion=conclusion, created_at=began, started_at=began + timedelta(minutes=2),
        completed_at=began + timedelta(minutes=40 + place), runner_name=f"l20-0{place}", labels=("self-hosted", "L20x8"),
        url=f"https://github.example/{REPO}/actions/runs/{run_id}/job/{place}",
    )  # fmt: skip


def diagnose(run: Run, job: Job, log: LogSource | Unavailable, annotations: tuple[Annotation, ...]) -> JobDiagnosis:
    """Every log shows an out-of-memory error on its first line."""
    if isinstance(log, Unavailable):
        return JobDiagnosis(job, unavailable=log)
    with log.open() as stream:
        line = Line(1, stream.readline().decode().strip())
    cause = Cause(
        id="gpu-oom:x", signature="gpu-oom", title="GPU out of memory", family="gpu-oom",
        category=Category.DETERMINISTIC, rank=Rank.ROOT, line=line, reason="only", confidence=Confidence.HIGH,
    )  # fmt: skip
    return JobDiagnosis(job, step="Run", causes=(cause,))


def busy(runs: int, days: int = 3, seed: int = 1, jobs: int = 3, failing: float = 1 / 3) -> MadeUpGitHub:
    """Runs over days from START; that share of jobs fails, half of such runs are rerun, some twice."""
    random = Random(seed)
    github = MadeUpGitHub()
    for number in range(1, runs + 1):
        created = START + timedelta(seconds=random.randrange(days * 86_400 - 60))
        conclusions = [["failure" if random.random() < failing else "success" for _ in range(jobs)]]
        while "failure" in conclusions[-1] and len(conclusions) < 3 and random.random() < 0.5:
            again = [random.choice(["success", "failure"]) if last == "failure" else "" for last in conclusions[-1]]
            conclusions.append(again)
        github.add(number, created, conclusions)
    return github
