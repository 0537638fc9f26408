"""A run whose jobs' own logs cannot be had, triaged from the archive's files of steps."""

import json
from pathlib import Path

import pytest

from tests.cli.command import triage
from tests.github.worlds import NOW, REPO, RUN_ID, TOKEN, archive_of, make_job, make_world
from triage.demo.server import Server, status
from triage.model.run import Step

STAMP = b"2026-03-04T05:06:07.1234567Z "
QUIET = STAMP + b"No headers, no groups\n"
FAILS = (
    STAMP
    + b"Traceback (most recent call last):\n"
    + STAMP
    + b'  File "train.py", line 3, in <module>\n'
    + STAMP
    + b"ModuleNotFoundError: No module named 'transfer_queue'\n"
    + STAMP
    + b"##[error]Process completed with exit code 1.\n"
)


def test_the_file_of_a_step_says_which_step_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path))
    steps = [
        Step(number, name, "completed", "failure" if number == 3 else "success", NOW, NOW)
        for number, name in enumerate(("Set up job", "Warm: up", "Train / fast", "Upload"), start=1)
    ]
    world = make_world(failed=1)
    world.jobs[RUN_ID, 1] = [make_job(1, "train (a/b)", steps=tuple(steps))]
    folder = "train (a_b)"
    world.archives[RUN_ID, 1] = archive_of(
        {
            f"{folder}/1_Set up job.txt": QUIET,
            f"{folder}/2_Warm_ up.txt": QUIET,
            f"{folder}/3_Train _ fast.txt": FAILS,
            f"{folder}/4_Upload.txt": QUIET,
        }
    )
    with Server(world) as server:
        server.inject(status("job log", 502, times=99))
        ran = triage(
            capsys,
            *("run", str(RUN_ID), "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, "-f", "json"),
            "--no-evidence",
        )
    assert ran.code == 0, ran.err
    (failure,) = json.loads(ran.out)["failures"]
    (cause,) = failure["causes"]
    assert (failure["unavailable"], failure["job"], failure["step"]) == (None, "train (a/b)", "Train / fast")
    assert (cause["signature"], cause["step"], cause["line"]) == ("python-module-not-found", "Train / fast", 5)
    assert cause["text"] == "ModuleNotFoundError: No module named 'transfer_queue'"
