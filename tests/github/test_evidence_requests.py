"""`triage run` with evidence stays within the requests that issue 6 allows, and judges within what that leaves."""

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import triage
from tests.github.worlds import BASE, FIRST, MERGE, NOW, REPO, RUN_ID, TOKEN, make_job, make_pull, make_run, make_world
from triage.demo.server import Server, World

CAUSES = (
    b"ModuleNotFoundError: No module named 'transfer_queue'",
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 44.53 GiB",
    b"OSError: [Errno 98] Address already in use",
)
_STAMP = b"2026-03-04T05:06:08.1234567Z "


def log_with(cause: bytes, tested: str = MERGE) -> bytes:
    said = [b"##[group]Run git", f"[command]/usr/bin/git log -1 --format=%H\n{tested}".encode(), b"##[endgroup]"]
    said += [b"##[group]Run python train.py", b"##[endgroup]", cause, b"##[error]Process completed with exit code 1."]
    return b"".join(_STAMP + line + b"\n" for text in said for line in text.split(b"\n"))


def world_of(jobs: int, failed: int, causes: int, pull: bool, base: str) -> World:
    """`base`: what its five runs conclude for every job; other pull requests fail as this one does."""
    world = make_world(failed=failed, passed=jobs - failed)
    world.logs = {number: log_with(CAUSES[number % causes]) for number in range(1, failed + 1)}
    if not pull:
        world.runs = [make_run(event="push", head_branch="main", head_repo=REPO, pull_requests=())]
        world.pulls = []
    for number in range(1, 6):
        own = {"event": "push", "head_branch": "main", "head_repo": REPO, "head_sha": BASE, "pull_requests": ()}
        _add(world, number, jobs, base, **own)
    for number in range(11, 15):
        other = {"head_branch": f"b{number}", "head_sha": FIRST, "pull_requests": (number,), "actor": f"p{number}"}
        _add(world, number, jobs, "failure", **other)
        world.pulls.append(make_pull(number, head_ref=f"b{number}", title=f"Change {number}", author=f"p{number}"))
    return world


def _add(world: World, number: int, jobs: int, conclusion: str, **changes: Any) -> None:
    created = NOW - timedelta(hours=number)
    world.runs.append(replace(make_run(number, **changes), conclusion=conclusion, created_at=created))
    failed = conclusion == "failure"
    listed = [make_job(1000 * number + job, f"train ({job})", failed, run_id=number) for job in range(1, jobs + 1)]
    world.jobs[number, 1] = listed
    world.logs |= {job.id: log_with(CAUSES[0]) for job in listed if failed}


def ran(capsys: pytest.CaptureFixture[str], world: World, *flags: str) -> tuple[Any, list[str]]:
    with Server(world) as server:
        command = ("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "-f", "json")
        found = triage(capsys, *command, *flags)
        assert found.code == 0, found.err
        return json.loads(found.out), [call for call in server.calls if call != "blob"]


def texts(result: Any) -> list[str]:
    return [one["text"] for cause in result["causes"] for one in cause["verdict"]["evidence"]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("base", ["success", "failure"])
@pytest.mark.parametrize("pull", [True, False], ids=["pull request", "push"])
@pytest.mark.parametrize(("jobs", "failed", "causes"), [(1, 1, 1), (40, 3, 1), (40, 3, 3), (120, 20, 1), (120, 20, 3)])
def test_the_whole_command_stays_within_its_limit(
    capsys: pytest.CaptureFixture[str], jobs: int, failed: int, causes: int, pull: bool, base: str
) -> None:
    result, asked = ran(capsys, world_of(jobs, failed, causes, pull, base))
    assert len(result["failures"]) == failed
    assert len(result["causes"]) == causes
    assert len(asked) <= jobs / 100 + failed + 10, Counter(asked)
    assert asked.count("list workflow runs") >= 1, "evidence was looked for"


def test_a_job_is_looked_for_on_the_page_where_it_stood(capsys: pytest.CaptureFixture[str]) -> None:
    world = world_of(250, 0, 1, True, "success")
    jobs = world.jobs[RUN_ID, 1]
    world.jobs[RUN_ID, 1] = [*jobs[:-1], make_job(250)]
    world.logs[250] = log_with(CAUSES[0])
    result, asked = ran(capsys, world)
    assert result["causes"][0]["verdict"]["value"] == "yours"
    # Three pages of its own, one of each of three base runs: 250 stands on the third.
    assert asked.count("attempt jobs") == 6


def test_what_was_not_looked_at_is_said_with_the_way_to_look_further(capsys: pytest.CaptureFixture[str]) -> None:
    world = world_of(120, 20, 1, True, "success")
    result, _ = ran(capsys, world)
    (said,) = [text for text in texts(result) if text.startswith("not looked at")]
    assert "--evidence-requests N" in said
    assert (result["causes"][0]["verdict"]["value"], result["causes"][0]["verdict"]["confidence"]) == ("yours", "low")
    more, asked = ran(capsys, world, "--evidence-requests", "60", "--no-cache")
    assert not [text for text in texts(more) if text.startswith("not looked at")]
    assert len(asked) > 31
    # The others have it too: with all the evidence it is no longer said to be this pull request's own.
    assert more["causes"][0]["verdict"]["value"] == "unknown"


def test_none_allowed_is_no_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    world = world_of(3, 1, 1, True, "success")
    none, asked = ran(capsys, world, "--evidence-requests", "0", "--no-cache")
    without, _ = ran(capsys, world, "--no-evidence", "--no-cache")
    assert none == without
    assert "list workflow runs" not in asked
