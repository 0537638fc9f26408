"""A sync that is killed at any moment and started again ends as one that never was."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from tests.histories import DATABASES, database, opened
from tests.pipeline.made_up_github import START, busy, diagnose
from tests.pipeline.test_history import contents
from triage.pipeline.history import SyncSettings, sync
from triage.pipeline.outcomes import Place

RUNS = 300
KILLS, MOST_KILLS = 6, 16


@pytest.mark.parametrize("kind", DATABASES)
def test_killed_again_and_again_it_loses_nothing_and_doubles_nothing(kind: str, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    with database(kind, tmp_path / "whole") as target, opened(target) as history:
        sync(history, busy(RUNS), diagnose, SyncSettings(Place("main")), START, START + timedelta(days=3))
        whole = contents(history)
    random = Random(7)
    with database(kind, tmp_path / "killed") as target:
        read: list[int] = []
        longest = 0.35  # seconds; a slow machine has read nothing by then
        while len(read) < KILLS or (not any(read) and len(read) < MOST_KILLS):
            read.append(_killed_after(target, random.uniform(0.02, longest)))
            longest *= 1 if any(read) else 1.3
        with opened(target) as history:
            sync(history, busy(RUNS), diagnose, SyncSettings(Place("main")), START, START + timedelta(days=3))
            assert contents(history) == whole
    assert any(0 < count < RUNS for count in read), f"no kill fell amid the reading: {read}"


def _killed_after(target: str, seconds: float) -> int:
    """Runs read so far, once the sync is killed (SIGKILL) that long after it began to list."""
    command = [sys.executable, "-m", "tests.pipeline.syncing", target, str(RUNS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    with opened(target) as history:
        return sum(1 for row in contents(history)["runs"] if row[2])
