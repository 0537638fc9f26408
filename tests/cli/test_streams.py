"""The command as a shell starts it: closed streams, full disks, readers that leave, encodings that lack letters."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRIAGE = (sys.executable, "-c", "from triage.cli.main import main; main()")
FAILED = "ValueError: 内存不足 ✗ é\n##[error]Process completed with exit code 1.\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "job.log"
    path.write_text(FAILED, encoding="utf-8")
    return path


def shell(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`script` with `triage` as "$@"; its last word is what the script says of the exit code."""
    command = ["bash", "-c", script, "bash", *TRIAGE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, **environment}, check=False)


@pytest.mark.parametrize("arguments", [("signatures", "list"), ("explain", "gpu-oom"), ("--help",), ("log",)])
def test_a_reader_that_left_is_no_bug(log: Path, arguments: tuple[str, ...]) -> None:
    files = (log,) if arguments == ("log",) else ()
    ran = shell('"$@" | true; exit "${PIPESTATUS[0]}"', *arguments, *files)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [("signatures", "list"), ("explain", "gpu-oom"), ("--version",), ("log",)])
def test_a_full_disk_is_told_in_a_line_and_is_no_bug(log: Path, arguments: tuple[str, ...]) -> None:
    files = (log, "--format", "json") if arguments == ("log",) else ()
    ran = shell('"$@" > /dev/full', *arguments, *files)
    assert ran.returncode == 2
    assert b"No space left on device" in ran.stderr.splitlines()[0]
    assert b"bug" not in ran.stderr
    assert shell('"$@" > /dev/full 2> /dev/full', *arguments, *files).returncode == 2


@pytest.mark.parametrize(
    ("redirected", "files", "code"), [("<&-", ("-",), 3), (">&-", (), 0), ("2>&-", ("nowhere",), 2)]
)
def test_a_closed_stream_is_an_empty_one(log: Path, redirected: str, files: tuple[str, ...], code: int) -> None:
    ran = shell(f'"$@" {redirected}', "log", *(files or (log,)))
    assert ran.returncode == code
    assert ran.stdout == b""
    assert b"bug" not in ran.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_locale_lacks_do_not_stop_the_result(log: Path, encoding: str) -> None:
    shown = shell('"$@"', "log", log, PYTHONIOENCODING=encoding)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"ValueError: ???? ?" in shown.stdout
    for_programs = shell('"$@"', "log", log, "--format", "json", PYTHONIOENCODING=encoding)
    assert "内存不足 ✗ é" in json.loads(for_programs.stdout)["failures"][0]["unexplained"]["text"]


def test_a_configuration_that_never_ends_is_refused(log: Path) -> None:
    ran = shell('"$@"', "log", log, "--config", "/dev/zero")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"/dev/zero: File too large." in ran.stderr


def test_a_pipe_or_a_device_among_signatures_is_passed_over_and_a_huge_file_refused(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "signatures"
    folder.mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    assert shell('"$@"', "log", log, "--signatures", folder).returncode == 0
    (folder / "huge.yaml").write_bytes(b"#" * (2 << 20))
    ran = shell('"$@"', "log", log, "--signatures", folder)
    assert (ran.returncode, b"huge.yaml: File too large." in ran.stderr) == (2, True)
