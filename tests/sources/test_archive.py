"""Runs and logs kept in a folder give the same history as GitHub itself."""

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.histories import opened
from tests.pipeline.made_up_github import START, MadeUpGitHub, busy, diagnose
from tests.pipeline.served import log_of, world_of
from tests.pipeline.test_history import PLACE, contents
from triage.demo.server import payloads
from triage.errors import GitHubError, UsageError
from triage.github import decode
from triage.model.run import Job, Unavailable
from triage.pipeline.history import SyncSettings, sync
from triage.sources.archive import Archive


def keep(github: MadeUpGitHub, folder: Path) -> None:
    world = world_of(github)
    for attempts in github.runs.values():
        for run in attempts:
            place = folder / str(run.id) / str(run.attempt)
            place.mkdir(parents=True)
            jobs = world.jobs.get((run.id, run.attempt), [])
            (place / "run.json").write_text(json.dumps(payloads.run("https://api.github.example", world, run)))
            listed = [payloads.job("https://api.github.example", world, job) for job in jobs]
            (place / "jobs.json").write_text(json.dumps({"total_count": len(listed), "jobs": listed}))
            for job in jobs:
                if job.conclusion == "failure":
                    keep_log(place, job)


def keep_log(place: Path, job: Job) -> None:
    if job.id % 2:
        (place / f"{job.id}.log").write_bytes(log_of(job))
    else:
        (place / f"{job.id}.log.gz").write_bytes(gzip.compress(log_of(job)))


def archive(folder: Path) -> Archive:
    return Archive(folder, decode.run, decode.job)


def test_the_history_of_an_archive_is_that_of_github(tmp_path: Path) -> None:
    github = busy(60)
    keep(github, tmp_path / "kept")
    found = []
    for name, source in (("github", github), ("archive", archive(tmp_path / "kept"))):
        with opened(str(tmp_path / f"{name}.db")) as history:
            result = sync(
                history,
                source,
                lambda run, job, log, notes: diagnose(run, job, log, notes),
                SyncSettings(PLACE),
                START,
                START + timedelta(days=3),
            )
            assert (result.runs_read, result.left) == (60, 0)
            tables = contents(history)
            found.append({name: [row[:3] for row in rows] for name, rows in tables.items()})
    assert found[0] == found[1]


def test_logs_are_read_plain_and_compressed_also_without_listing_first(tmp_path: Path) -> None:
    github = busy(20)
    keep(github, tmp_path)
    failed = [job for jobs in github.jobs_of.values() for job in jobs if job.conclusion == "failure"]
    assert {job.id % 2 for job in failed} == {0, 1}
    for job in failed:
        log = archive(tmp_path).log(job)
        assert not isinstance(log, Unavailable)
        with log.open() as stream:
            assert stream.read() == log_of(job)
            stream.seek(0)
            assert stream.read(4) == b"2026"


def test_what_is_not_kept_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        archive(tmp_path / "none")
    with pytest.raises(UsageError, match="holds no <run>"):
        archive(tmp_path).run_page(START, START, 1)
    keep(busy(2), tmp_path)
    with pytest.raises(GitHubError, match="run 99"):
        archive(tmp_path).run(99)
    assert isinstance(archive(tmp_path).log(Job(5, 1, 1, "x", "completed", "failure")), Unavailable)
    (tmp_path / "1" / "1" / "run.json").write_text("{")
    with pytest.raises(UsageError, match=r"run\.json cannot be read"):
        archive(tmp_path).run(1)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run.json", "{}", "no 'id'"),
        ("run.json", '{"id": "eleven"}', "run.json"),
        ("jobs.json", '{"jobs": {"id": 1}}', "no list of jobs"),
        ("jobs.json", '{"jobs": [7]}', "jobs.json"),
        ("jobs.json", '{"jobs": [{}]}', "jobs.json"),
    ],
)
def test_what_is_no_answer_of_github_names_its_file(tmp_path: Path, name: str, text: str, said: str) -> None:
    github = busy(1)
    keep(github, tmp_path)
    place = next(tmp_path.glob(f"*/*/{name}"))
    place.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_all(Archive(tmp_path, decode.run, decode.job))


def read_all(archive: Archive) -> None:
    for run in archive.run_page(START - timedelta(days=900), START + timedelta(days=900), 1).runs:
        archive.all_jobs(run)
