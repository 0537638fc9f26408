"""What `triage run` costs on a run of 120 jobs of which 20 failed (issue 6)."""

import json
from pathlib import Path

import pytest

from tests.cli.command import triage
from tests.github.worlds import REPO, RUN_ID, TOKEN, make_world
from triage.demo.server import Server

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
