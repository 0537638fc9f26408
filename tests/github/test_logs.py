"""A missing log is a result with its reason; a log that is there is the right one, fetched once."""

import resource
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.github.worlds import (
    NOW,
    REPO,
    RUN_ID,
    TOKEN,
    archive_of,
    log_of,
    make_job,
    make_world,
    options,
    served,
)
from triage.demo.server import Delayed, Fault, LogState, Server, World, cut, status
from triage.demo.server.world import Log
from triage.github import GitHub, connect
from triage.model.run import Job, Step, Unavailable, UnavailableReason

# Filled in when the test runs: the module is imported minutes earlier.
JUST_NOW: dict[str, object] = {"completed_at": None}
STILL_RUNS = (Step(1, "Set up job", "completed", "success", NOW, NOW), Step(4, "Train", "in_progress", None, NOW))


def changed_job(changes: dict[str, object]) -> Job:
    return make_job(1, **({"completed_at": datetime.now(UTC)} if changes is JUST_NOW else changes))


def world_with(log: Log, job: Job) -> World:
    world = make_world()
    world.jobs[RUN_ID, 1] = [job]
    world.logs = {job.id: log}
    return world


def content(github: GitHub, job: Job) -> bytes | Unavailable:
    log = github.log(job)
    if isinstance(log, Unavailable):
        return log
    with log.open() as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("log", "changes", "reason", "says", "requests"),
    [
        (LogState.EXPIRED, {}, UnavailableReason.EXPIRED, "expired", 1),
        (LogState.FORBIDDEN, {}, UnavailableReason.FORBIDDEN, "needs: actions=read", 1),
        (LogState.NEVER_UPLOADED, {}, UnavailableReason.NOT_UPLOADED, "BlobNotFound", 1),
        (LogState.NEVER_UPLOADED, {"steps": STILL_RUNS}, UnavailableReason.RUNNER_LOST, "gpu-1 was lost during", 1),
        (LogState.ABSENT, {"steps": STILL_RUNS}, UnavailableReason.RUNNER_LOST, "“Train”", 1),
        (LogState.ABSENT, {}, UnavailableReason.NOT_UPLOADED, "404", 2),
        (LogState.ABSENT, JUST_NOW, UnavailableReason.NOT_UPLOADED, "404", 4),
        (b"", {"status": "in_progress", "conclusion": None}, UnavailableReason.IN_PROGRESS, "running", 0),
        (b"", {"status": "queued", "conclusion": None}, UnavailableReason.NEVER_STARTED, "queued", 0),
        (b"", {"conclusion": "skipped"}, UnavailableReason.NEVER_STARTED, "skipped", 0),
        (
            b"",
            {"conclusion": "cancelled", "steps": (), "runner_name": ""},
            UnavailableReason.NEVER_STARTED,
            "before a runner",
            0,
        ),
    ],
)
def test_why_there_is_no_log(
    tmp_path: Path, log: Log, changes: dict[str, object], reason: UnavailableReason, says: str, requests: int
) -> None:
    job = changed_job(changes)
    with served(world_with(log, job), tmp_path) as (_, github):
        found = github.log(job)
        assert isinstance(found, Unavailable)
        assert found.reason is reason
        assert says in found.detail
        assert github.requests_sent == requests


def test_a_log_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    job = changed_job(JUST_NOW)
    with served(world_with(Delayed(log_of(1), 2), job), tmp_path) as (_, github):
        assert content(github, job) == log_of(1)


def test_an_old_job_is_not_waited_for(tmp_path: Path) -> None:
    job = make_job(1)
    with served(world_with(Delayed(log_of(1), 2), job), tmp_path) as (server, github):
        assert isinstance(content(github, job), Unavailable)
        assert server.calls.count("job log") == 1


def test_a_job_of_a_running_run_has_its_log_already(tmp_path: Path) -> None:
    world = make_world()
    done, running = make_job(1), make_job(2, status="in_progress", conclusion=None, completed_at=None)
    world.jobs[RUN_ID, 1] = [done, running]
    with served(world, tmp_path) as (_, github):
        jobs = github.jobs(github.run(RUN_ID))
        assert [job.failed for job in jobs] == [True, False]
        assert content(github, jobs[0]) == log_of(1)


def test_the_second_look_costs_nothing(tmp_path: Path) -> None:
    with Server(make_world()) as server:
        for _ in range(2):
            with connect(REPO, server.api_url, TOKEN, options=options(tmp_path)) as github:
                assert content(github, make_job(1)) == log_of(1)
                assert server.calls == ["job log", "blob"]


def test_a_rerun_job_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (_, github):
        assert content(github, make_job(1)) == log_of(1)
        world.logs[1] = b"another run of it\n"
        later = make_job(1, completed_at=NOW + timedelta(minutes=30))
        assert content(github, later) == b"another run of it\n"


def test_a_cut_transfer_goes_on_where_it_stopped(tmp_path: Path) -> None:
    world = make_world()
    world.logs[1] = log_of(1, 20_000)
    seen: list[int] = []
    with served(world, tmp_path, record=True) as (server, github):
        server.inject(cut("blob", 500_000, times=2))
        log = github.logs.fetch(make_job(1), lambda received, total: seen.append(received))
        assert not isinstance(log, Unavailable)
        assert log.path.read_bytes() == world.logs[1]
        assert seen == sorted(seen)
        assert server.calls.count("blob") == 3
        # Each try asks for a fresh address: the first may have expired meanwhile.
        assert server.calls.count("job log") == 3


def test_an_expired_address_is_asked_for_anew(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(Fault("blob", 2, status=403, body=b"<Error><Code>AuthenticationFailed</Code></Error>"))
        assert content(github, make_job(1)) == log_of(1)
        assert server.calls.count("job log") == 3


def test_addresses_expire(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, lifetime=-1.0) as (_, github):
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert found.reason is UnavailableReason.FAULT
        assert "403" in found.detail


def test_the_store_never_sees_the_token(tmp_path: Path) -> None:
    """It would refuse it, as Azure does: that the log arrives is the proof; this shows that the refusal works."""
    import requests

    with served(make_world(), tmp_path) as (_, github):
        assert content(github, make_job(1)) == log_of(1)
        location = github.logs.address(make_job(1))
        assert requests.get(location, headers={"Authorization": "token x"}, timeout=5).status_code == 401
        assert requests.get(location, timeout=5).content == log_of(1)


def test_the_archive_serves_where_the_jobs_own_log_fails(tmp_path: Path) -> None:
    world = make_world()
    world.archives[RUN_ID, 1] = archive_of({f"{n}_train ({n}).txt": b"archived %d\n" % n for n in range(1, 4)})
    with served(world, tmp_path) as (server, github):
        server.inject(status("job log", 502, times=99))
        assert [content(github, make_job(n)) for n in (1, 2, 3)] == [b"archived 1\n", b"archived 2\n", b"archived 3\n"]
        assert server.calls.count("attempt archive") == 1


def test_an_archive_that_names_the_job_twice_is_not_guessed_from(tmp_path: Path) -> None:
    world = make_world()
    world.logs[1] = LogState.ABSENT
    world.archives[RUN_ID, 1] = archive_of({"1_train (1).txt": b"a", "2_train (1).txt": b"b"})
    with served(world, tmp_path) as (_, github):
        assert isinstance(content(github, make_job(1)), Unavailable)


def test_a_full_disk_is_told_from_a_cut_connection(tmp_path: Path) -> None:
    world = make_world()
    world.logs[1] = log_of(1, 20_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with served(world, tmp_path) as (server, github):
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            found = github.log(make_job(1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert isinstance(found, Unavailable)
        assert "cannot be written to the disk. Is it full? `triage cache clear`." in found.detail
        assert server.calls.count("blob") == 1


def test_a_log_of_no_bytes_is_a_log(tmp_path: Path) -> None:
    job = make_job(1)
    with served(world_with(b"", job), tmp_path) as (_, github):
        assert content(github, job) == b""


def test_bytes_come_as_they_are(tmp_path: Path) -> None:
    raw = "\ufeff2026 \u2028 é\r\n".encode() + bytes(range(256))
    job = make_job(1)
    with served(world_with(raw, job), tmp_path) as (_, github):
        assert content(github, job) == raw
