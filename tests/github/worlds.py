"""A made-up repository as GitHub would serve it: two runs of CI, a pull request, comments, commits, files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from triage.demo.server import Server, Traffic, World
from triage.github import GitHub, Limits, Options, connect
from triage.github.connection import Timeouts
from triage.model.run import (
    Annotation,
    Artifact,
    ChangedFile,
    CheckRun,
    Comment,
    Commit,
    Job,
    PullRequest,
    Repository,
    Run,
    Step,
)

REPO = "example/train"
TOKEN = "ghp_0123456789abcdefghij0123456789abcdef"
NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
BASE, FIRST, HEAD, MERGE = ("b" * 40, "c" * 40, "d" * 40, "e" * 40)
RUN_ID = 4200
FAST = Timeouts(connect=2.0, read=2.0, whole=4.0)


def make_run(number: int = RUN_ID, **changes: Any) -> Run:
    fields: dict[str, Any] = {
        "id": number,
        "attempt": 1,
        "repo": REPO,
        "workflow": "ci",
        "workflow_path": ".github/workflows/ci.yml",
        "event": "pull_request",
        "status": "completed",
        "conclusion": "failure",
        "head_sha": HEAD,
        "head_branch": "faster",
        "head_repo": "someone/train",
        "workflow_id": 77,
        "display_title": "Make it faster",
        "actor": "someone",
        "created_at": NOW,
        "started_at": NOW,
        "updated_at": NOW + timedelta(minutes=9),
        "url": f"https://github.example/{REPO}/actions/runs/{number}",
        "pull_requests": (12,),
    }
    return Run(**(fields | changes))


def make_job(number: int, name: str = "", failed: bool = True, **changes: Any) -> Job:
    end = NOW + timedelta(minutes=8)
    conclusion = "failure" if failed else "success"
    steps = (
        Step(1, "Set up job", "completed", "success", NOW, NOW),
        Step(4, "Train", "completed", conclusion, NOW, end),
    )
    fields: dict[str, Any] = {
        "id": number,
        "run_id": RUN_ID,
        "attempt": 1,
        "name": name or f"train ({number})",
        "status": "completed",
        "conclusion": conclusion,
        "created_at": NOW,
        "started_at": NOW,
        "completed_at": end,
        "runner_name": "gpu-1",
        "labels": ("self-hosted", "gpu"),
        "steps": steps,
        "url": f"https://github.example/{REPO}/actions/runs/{RUN_ID}/job/{number}",
    }
    return Job(**(fields | changes))


def log_of(number: int, lines: int = 50) -> bytes:
    stamp = "2026-03-04T05:06:07.1234567Z"
    return b"".join(f"{stamp} job {number} says line {line}\n".encode() for line in range(lines))


def archive_of(members: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return kept.getvalue()


def make_world(failed: int = 3, passed: int = 2) -> World:
    """Jobs 1..failed have failed, with logs; the next ones have passed."""
    world = World(Repository(REPO, "main"), viewer="triage[bot]", token=TOKEN)
    world.runs = [make_run()]
    jobs = [make_job(number) for number in range(1, failed + 1)]
    jobs += [make_job(number, failed=False) for number in range(failed + 1, failed + passed + 1)]
    world.jobs = {(RUN_ID, 1): jobs}
    world.logs = {job.id: log_of(job.id) for job in jobs}
    world.annotations = {1: [Annotation("failure", "Process completed with exit code 1.", "", ".github", 9)]}
    world.artifacts = {RUN_ID: [Artifact(5, "wheels", 1024, False)]}
    world.commits = {
        BASE: Commit(BASE, "Start", "someone", NOW - timedelta(days=2)),
        FIRST: Commit(FIRST, "Write it\n\nBody", "someone", NOW - timedelta(days=1), (BASE,)),
        HEAD: Commit(HEAD, "Make it faster", "someone", NOW, (FIRST,)),
        MERGE: Commit(MERGE, "Merge", "someone", NOW, (BASE, HEAD)),
    }
    world.touched = {FIRST: ("train.py",), HEAD: ("train.py", "docs/faster.md")}
    world.branches = {"main": BASE}
    files = {"train.py": b"print('x')\n", ".github/CODEOWNERS": b"* @someone\n", "run.sh": b"#!/bin/sh\n"}
    world.trees = {BASE: files, HEAD: {**files, "docs/faster.md": b"# Faster\n"}, MERGE: files}
    world.pulls = [make_pull()]
    world.changed_files = {12: [ChangedFile("train.py", "modified", "", "@@ -1 +1 @@\n-a\n+b", 1, 1)]}
    world.check_runs = [CheckRun(1, "train (1)", HEAD, "completed", "failure", "github-actions")]
    world.comments = {12: [Comment(700 + n, f"Comment {n}", "someone", "", NOW, NOW) for n in range(3)]}
    return world


def make_pull(number: int = 12, **changes: Any) -> PullRequest:
    fields: dict[str, Any] = {
        "number": number,
        "repo": REPO,
        "title": "Make it faster",
        "author": "someone",
        "state": "open",
        "base_ref": "main",
        "base_sha": BASE,
        "head_ref": "faster",
        "head_sha": HEAD,
        "head_repo": "someone/train",
        "merge_sha": MERGE,
        "url": f"https://github.example/{REPO}/pull/{number}",
    }
    return PullRequest(**(fields | changes))


def private_key() -> str:
    """A key such as GitHub makes for an App, in PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def options(folder: Path, **changes: Any) -> Options:
    """No gaps between writes and short waits: the tests are about order and outcome, not about patience."""
    chosen: dict[str, Any] = {
        "cache_folder": folder,
        "limits": Limits(write_gap=0.0, max_wait=6.0),
        "timeouts": FAST,
        "backoff": 0.02,
        "fresh_waits": (0.02, 0.02),
        "environ": {},
    }
    return Options(**(chosen | changes))


@contextmanager
def served(
    world: World,
    folder: Path,
    traffic: Traffic | None = None,
    record: bool = False,
    lifetime: float = 60.0,
    **changes: Any,
) -> Iterator[tuple[Server, GitHub]]:
    """The world behind a server, and an adapter that reaches it."""
    with (
        Server(world, traffic or Traffic(), lifetime, record) as server,
        connect(REPO, server.api_url, TOKEN, options=options(folder, **changes)) as github,
    ):
        yield server, github
