"""Ctrl-C at any moment of a command: exit code 130, one line, no trace."""

import subprocess
import sys

import pytest

# Ctrl-C at the very moment in which a module begins to be imported, or when the process is about to end.
PROGRAM = """
import atexit, signal, sys

moment = sys.argv.pop(1)

def press(event, arguments):
    if event == "import" and arguments[0] == moment:
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
    ["triage.cli.main", "typer", "triage.cli.verify", "typer._adapters", "triage.pipeline.log", "re2", "the end"],
)
def test_ctrl_c_at_any_moment_is_exit_code_130(moment: str) -> None:
    ran = interrupted(moment, "log", "-")
    assert (ran.returncode, ran.stderr.splitlines()[-1:]) == (130, ["triage: interrupted."])
    assert "Traceback" not in ran.stderr
    assert "KeyboardInterrupt" not in ran.stderr


def test_without_ctrl_c_the_command_runs() -> None:
    assert interrupted("never", "--version").stdout.startswith("triage ")
    assert interrupted("never", "log", "-").returncode == 3
