"""Ctrl-C at any moment of a command: exit code 130, one line, no trace."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.github.worlds import REPO, RUN_ID, TOKEN, make_world
from triage.demo.server import Server, slow

# Ctrl-C at the very moment in which a module begins to be imported, or when the process is about to end.
PROGRAM = """
import atexit, signal, sys

moment, _, where = sys.argv.pop(1).partition(" in ")

class Destructor:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def press(event, arguments):
    if event == "import" and arguments[0] == moment:
        if where == "a destructor":
            Destructor()
        else:
            signal.raise_signal(signal.SIGINT)

sys.addaudithook(press)
# A shell that runs the tests in the background lets its children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
if moment == "the end":
    atexit.register(signal.raise_signal, signal.SIGINT)
from triage.__main__ import main
main()
"""


def interrupted(moment: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PROGRAM, moment, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, input="nothing\n")


@pytest.mark.parametrize(
    "moment",
    [
        "triage.cli.main",
        "typer",
        "triage.cli.verify",
        "typer._adapters",
        "triage.pipeline.log",
        "re2",
        "re2 in a destructor",
        "the end",
    ],
)
def test_ctrl_c_at_any_moment_is_exit_code_130(moment: str) -> None:
    ran = interrupted(moment, "log", "-")
    assert (ran.returncode, ran.stderr.splitlines()[-1:]) == (130, ["triage: interrupted."])
    assert "Traceback" not in ran.stderr
    assert "KeyboardInterrupt" not in ran.stderr


def test_without_ctrl_c_the_command_runs() -> None:
    assert interrupted("never", "--version").stdout.startswith("triage ")
    assert interrupted("never", "log", "-").returncode == 3


RUN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from triage.__main__ import main
main()
"""


@pytest.mark.parametrize("call", ["run", "contents", "attempt jobs", "job log", "blob", "pull", "tarball"])
def test_ctrl_c_during_any_call_of_a_run_ends_it_at_once(call: str, tmp_path: Path) -> None:
    """Each call answers with twenty bytes a second: whoever waits for it waits for minutes."""
    world = make_world(failed=3)
    failure = b"2026-03-04T05:06:08.1234567Z ModuleNotFoundError: No module named 'transfer_queue'\n"
    world.logs = dict.fromkeys(range(1, 4), failure)
    with Server(world) as server:
        server.inject(slow(call, 20, times=99))
        command = [sys.executable, "-c", RUN, "run", str(RUN_ID), "-R", REPO, "--api-url", server.api_url]
        environment = {**os.environ, "TRIAGE_CACHE_DIR": str(tmp_path), "NO_PROXY": "127.0.0.1", "GH_TOKEN": TOKEN}
        with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=environment) as process:
            while call not in server.calls:
                assert process.poll() is None
                time.sleep(0.02)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            out, err = process.communicate(timeout=60)
        assert time.monotonic() - started < 10
    assert (process.returncode, out, err.splitlines()[-1]) == (130, "", "triage: interrupted.")
    assert "Traceback" not in err
    assert TOKEN not in err
    assert list(tmp_path.rglob("*.part")) == []
