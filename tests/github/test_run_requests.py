"""What `triage run` costs on a run of 120 jobs of which 20 failed (issue 6)."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.command import triage
from tests.github.worlds import NOW, REPO, RUN_ID, TOKEN, make_job, make_run, make_world
from triage.demo.server import Server, World, status
from triage.model.run import Run

LOG = b"""2026-03-04T05:06:07.1234567Z ##[group]Run python train.py
2026-03-04T05:06:07.1234567Z ##[endgroup]
2026-03-04T05:06:08.1234567Z RuntimeError: the flux is off
2026-03-04T05:06:09.1234567Z ##[error]Process completed with exit code 1.
"""


def test_requests_stay_within_their_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    world = make_world(failed=20, passed=100)
    world.logs = dict.fromkeys(range(1, 121), LOG)
    with Server(world) as server:
        command = ("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "-f", "json")
        first = triage(capsys, *command)
        asked = [call for call in server.calls if call != "blob"]
        assert first.code == 0, first.err
        assert len(json.loads(first.out)["failures"]) == 20
        assert len(asked) <= 120 / 100 + 20 + 10, asked
        server.calls.clear()
        second = triage(capsys, *command)
        # Logs and trees are on disk; what is asked again may have changed.
        assert second.out == first.out
        assert not {"job log", "blob", "tarball"} & set(server.calls)


CANCELLED = b"2026-03-04T05:06:07.1234567Z step 7\n2026-03-04T05:06:08.1234567Z ##[error]The operation was canceled.\n"


def _cancelled_world(*newer: Run) -> World:
    world = make_world(failed=0, passed=1)
    world.jobs[RUN_ID, 1] += [make_job(number, conclusion="cancelled") for number in range(2, 5)]
    world.logs |= dict.fromkeys(range(2, 5), CANCELLED)
    world.runs += newer
    return world


def _reasons(world: World, capsys: pytest.CaptureFixture[str]) -> tuple[set[str], list[str]]:
    with Server(world) as server:
        ran = triage(
            capsys,
            *("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "-f", "json"),
            "--no-evidence",
        )
        assert ran.code == 0, ran.err
        failures = json.loads(ran.out)["failures"]
        assert len(failures) == 3
        return {one["causes"][0]["reason"] for one in failures}, list(server.calls)


def test_a_newer_run_of_the_same_branch_tells_superseded_from_cancelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    end = NOW + timedelta(minutes=8)
    newer = make_run(RUN_ID + 5, created_at=end - timedelta(seconds=20), conclusion="success")
    said, calls = _reasons(_cancelled_world(newer), capsys)
    assert said == {"a newer run superseded it"}
    # One look for all three jobs, and no annotations: there is nothing left to ask.
    assert (calls.count("list workflow runs"), calls.count("annotations")) == (1, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"head_branch": "slower"},
        {"head_repo": "somebody-else/train"},
        {"workflow_id": 78, "workflow_path": ".github/workflows/docs.yml"},
        {"created_at": NOW + timedelta(minutes=2)},
        {"created_at": NOW + timedelta(minutes=9)},
    ],
    ids=["another branch", "another fork", "another workflow", "long before", "after the end"],
)
def test_other_runs_supersede_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, other: dict[str, object]
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    fields = {"created_at": NOW + timedelta(minutes=8, seconds=-20), "conclusion": "success"} | other
    said, _ = _reasons(_cancelled_world(make_run(RUN_ID + 5, **fields)), capsys)
    assert said == {"the conclusion says so, and no limit was near"}


def test_nobody_asks_for_newer_runs_when_none_was_cancelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    world = make_world(failed=2, passed=1)
    world.logs = dict.fromkeys(range(1, 4), LOG)
    with Server(world) as server:
        command = ("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "--no-evidence")
        assert triage(capsys, *command).code == 0
        assert not [call for call in server.calls if call.endswith("runs")]


def test_without_an_answer_a_cancelled_job_is_told_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    with Server(_cancelled_world()) as server:
        server.inject(status("list workflow runs", 403, times=9))
        ran = triage(
            capsys,
            *("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "-f", "json"),
            "--no-evidence",
        )
    found = json.loads(ran.out)
    assert len(found["failures"]) == 3
    assert any("newer run" in notice for notice in found["notices"])
