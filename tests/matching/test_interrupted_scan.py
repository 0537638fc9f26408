"""Ctrl-C reaches every process of a terminal: those that scan say nothing, and end with the one that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import signal
from tests.matching.sleeping import Sleeping
from triage.matching import compile_patterns
from triage.matching.parallel import _scan_in_processes

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print("started", flush=True)
        _scan_in_processes([(Sleeping("a"), None), (Sleeping("b"), None)], compile_patterns([], {}), (0, 1), 2)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3, 1.5])
def test_ctrl_c_ends_all_processes_without_a_trace(after: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(after)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("interrupted\n", "")
    assert _gone(process.pid)


def _gone(group: int) -> bool:
    """Whether soon nothing is left of a process group."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
