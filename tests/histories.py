"""Histories to test with: an empty one in either database, and small outcomes to put in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from triage.model.outcome import CauseHit, LogState, Outcome, Pool
from triage.storage.database import History

REPO = "example/train"
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
OOM = CauseHit("gpu-oom", "gpu-oom", "deterministic", "gpu-oom", 12, "CUDA out of memory", "Run", "high")
DATABASES = (pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres))


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The --db of an empty database, gone afterwards."""
    if kind == "sqlite":
        yield str(folder / "history.db")
        return
    server = os.environ.get("TRIAGE_TEST_POSTGRES")
    if not server:
        pytest.skip("TRIAGE_TEST_POSTGRES names no server: run `.ci/postgres pytest`")
    import psycopg

    name = f"t_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    try:
        yield f"{server.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def opened(target: str, repo: str = REPO) -> Iterator[History]:
    with History.open(target, repo) as history:
        yield history


@contextmanager
def empty_history(kind: str, folder: Path) -> Iterator[History]:
    with database(kind, folder) as target, opened(target) as history:
        yield history


def outcome(
    job_id: int,
    conclusion: str = "success",
    run: int = 1,
    attempt: int = 1,
    at: datetime = MONDAY,
    causes: tuple[CauseHit, ...] = (),
    **more: object,
) -> Outcome:
    """An attempt that ran for an hour on 8 GPUs after waiting a minute."""
    fields: dict[str, object] = {
        "workflow": "e2e",
        "job": "ppo",
        "workflow_path": ".github/workflows/e2e.yml",
        "event": "push",
        "branch": "main",
        "on_base": True,
        "sha": f"{run:040x}",
        "author": "ada",
        "runner": "l20-01",
        "pool": Pool("L20x8", "cuda", 8),
        "log": LogState.READ if conclusion == "failure" else LogState.NOT_NEEDED,
        "catalogue": "1" if conclusion == "failure" else "",
        "created_at": at,
        "started_at": at + timedelta(minutes=1),
        "completed_at": at + timedelta(minutes=61),
        **more,
    }
    return Outcome(
        repo=REPO, run_id=run, attempt=attempt, job_id=job_id, conclusion=conclusion, causes=causes, **fields,  # type: ignore[arg-type]
    )  # fmt: skip
