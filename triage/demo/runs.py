"""The demo's world: a made-up repository with three red runs, as GitHub would serve them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from triage.demo.server.world import World
from triage.errors import UsageError
from triage.model.run import Job, PullRequest, Repository, Run, Step
from triage.sources.git import surroundings

REPO = "example/train"
HEAD_BRANCH = "faster-sync"
_HERE = Path(__file__).parent
_FILES = _HERE / "repository"
_LOGS = _HERE / "runs"
_TESTED, _SHORT = b"@TESTED@", b"@SHORT@"
_AUTHOR = {
    "GIT_AUTHOR_NAME": "Example", "GIT_AUTHOR_EMAIL": "someone@train.example",
    "GIT_AUTHOR_DATE": "2026-08-18T06:00:00Z",
    "GIT_COMMITTER_NAME": "Example", "GIT_COMMITTER_EMAIL": "someone@train.example",
    "GIT_COMMITTER_DATE": "2026-08-18T06:00:00Z", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RedRun:
    """One failing run: which job of which workflow failed in which step, on what, and the file with its log."""

    id: int
    workflow: str
    job: str
    install_step: str
    step: str
    labels: tuple[str, ...]
    log: str
    started_at: datetime
    green_jobs: tuple[str, ...] = ()


RED_RUNS = (
    RedRun(
        7001,
        "e2e_trainer_rocm",
        "trainer_rocm",
        "Install the current repository",
        "Running E2E training with function reward",
        ("rocm-mi300",),
        "rocm_all_reduce.log",
        datetime(2026, 8, 18, 6, 40, 55, tzinfo=UTC),
        ("cleanup",),
    ),
    RedRun(
        7002,
        "e2e_fully_async",
        "fully_async_fsdp2",
        "Install the current repository",
        "Running the E2E fully async test",
        ("L20x8",),
        "fully_async_oom.log",
        datetime(2026, 8, 18, 7, 8, 40, tzinfo=UTC),
        ("fully_async_megatron",),
    ),
    RedRun(
        7003,
        "model",
        "model_rmpad",
        "Install the current repository and upgrade to latest transformers",
        "Running rmpad model tests on 8 L20 GPUs",
        ("L20x8",),
        "missing_requirement.log",
        datetime(2026, 8, 18, 7, 31, 12, tzinfo=UTC),
        ("model_engine",),
    ),
)


def make_clone(folder: Path) -> tuple[str, str]:
    """A git repository with the bundled files in `folder`: the shas of its head and of the merge that was tested.

    Author and dates are fixed, so the shas are the same everywhere. UsageError without git.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in bundled_files().items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "A made-up repository")
    head = _git(folder, "rev-parse", "HEAD")
    merge = _git(folder, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Merge the change into main")
    return head, merge


def bundled_files() -> dict[str, bytes]:
    """Path in the made-up repository -> content."""
    return {
        path.relative_to(_FILES).as_posix(): path.read_bytes()
        for path in sorted(_FILES.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def build_world(head: str, merge: str) -> World:
    """Runs, jobs, logs and trees for the embedded server."""
    files = bundled_files()
    world = World(Repository(REPO, "main", url=f"https://github.com/{REPO}"))
    world.trees = {head: files, merge: files}
    world.branches = {"main": head}
    world.pulls = [_pull(head, merge)]
    for red in RED_RUNS:
        jobs = [_failed_job(red), *(_green_job(red, place) for place in range(len(red.green_jobs)))]
        world.runs.append(_run(red, head))
        world.jobs[red.id, 1] = jobs
        world.logs[jobs[0].id] = _log(red).replace(_TESTED, merge.encode()).replace(_SHORT, merge[:7].encode())
        world.logs |= {job.id: b"" for job in jobs[1:]}
    return world


def _run(red: RedRun, head: str) -> Run:
    return Run(
        red.id,
        1,
        REPO,
        red.workflow,
        f".github/workflows/{red.workflow}.yml",
        "pull_request",
        "completed",
        "failure",
        head,
        HEAD_BRANCH,
        REPO,
        red.id - 6000,
        "Sync weights faster",
        "someone",
        red.started_at,
        red.started_at,
        red.started_at + timedelta(minutes=3),
        f"https://github.com/{REPO}/actions/runs/{red.id}",
        (41,),
    )


def _pull(head: str, merge: str) -> PullRequest:
    url = f"https://github.com/{REPO}/pull/41"
    title = "Sync weights faster"
    return PullRequest(41, REPO, title, "someone", "open", "main", head, HEAD_BRANCH, head, REPO, merge, False, url)


def _log(red: RedRun) -> bytes:
    return (_LOGS / red.log).read_bytes()


def _failed_job(red: RedRun) -> Job:
    checkout, install, training = _starts(red)
    ended = red.started_at + timedelta(minutes=3)
    steps = (
        Step(1, "Set up job", "completed", "success", red.started_at, checkout),
        Step(2, "Run actions/checkout@v4", "completed", "success", checkout, install),
        Step(3, red.install_step, "completed", "success", install, training),
        Step(4, red.step, "completed", "failure", training, ended),
        Step(5, "Complete job", "completed", "success", ended, ended),
    )
    return _job(red, red.id * 10, red.job, "failure", steps)


def _starts(red: RedRun) -> tuple[datetime, datetime, datetime]:
    """When checkout, installation and training began, to the second, as the log's own headers say."""
    headers = [line for line in _log(red).decode().splitlines() if "##[group]Run " in line and "index.js" not in line]
    checkout, install, training = (datetime.fromisoformat(line[:19] + "+00:00") for line in headers)
    return checkout, install, training


def _green_job(red: RedRun, place: int) -> Job:
    return _job(red, red.id * 10 + place + 1, red.green_jobs[place], "success", ())


def _job(red: RedRun, number: int, name: str, conclusion: str, steps: tuple[Step, ...]) -> Job:
    return Job(
        number,
        red.id,
        1,
        name,
        "completed",
        conclusion,
        red.started_at,
        red.started_at,
        red.started_at + timedelta(minutes=3),
        f"{red.labels[0].lower()}-runner-03",
        red.labels,
        steps,
        f"https://github.com/{REPO}/actions/runs/{red.id}/job/{number}",
    )


def _git(folder: Path, *arguments: str) -> str:
    environment = surroundings() | _AUTHOR
    try:
        ran = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except FileNotFoundError as fault:
        raise UsageError(
            "git is not installed, or not on PATH.", "Install git; the demo applies its patches."
        ) from fault
    return ran.stdout.strip()
