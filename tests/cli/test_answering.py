"""What a person or a program gets when there is no result, and when words that nobody has looked at are quoted."""

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import triage
from triage.cli.show import write_whole
from triage.demo.runs import REPO, build_world, make_clone
from triage.demo.server import Server
from triage.errors import UsageError

Capture = pytest.CaptureFixture[str]
FAST = ("--no-evidence", "--no-cache")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(build_world(*make_clone(tmp_path / "train"))) as running:
        yield running


@pytest.mark.parametrize("form", ["json", "sarif"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("run", "999"), 4), (("run", "--branch", "no-such-branch"), 3), (("pr", "999"), 4)],
)
def test_a_program_gets_one_object_when_github_has_nothing(
    capsys: Capture, server: Server, arguments: tuple[str, ...], code: int, form: str
) -> None:
    fast = FAST if arguments[0] == "run" else FAST[:1]
    at = ("--api-url", server.api_url, "--repo", REPO, "--token", "t0ken", "--format", form)
    ran = triage(capsys, *arguments, *at, *fast)
    assert ran.code == code, ran.err
    answer = json.loads(ran.out)
    assert (answer["runs"][0]["results"] if form == "sarif" else answer["failures"]) == []
    assert triage(capsys, *arguments, *at[:-2], *fast).out == ""


@pytest.mark.parametrize("content", [b"", b"all is well\n"])
def test_a_program_gets_one_object_when_a_log_holds_nothing(capsys: Capture, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "job.log").write_bytes(content)
    ran = triage(capsys, "log", str(tmp_path / "job.log"), "--format", "json")
    assert ran.code == 3
    assert json.loads(ran.out)["failures"] == []


def test_words_beside_the_result_cannot_steer_a_terminal_or_show_a_token(capsys: Capture) -> None:
    token = "ghp_" + "a1B2" * 9
    ran = triage(capsys, "log", f"no\x1b[2J\u202ewhere-{token}\x9b")
    assert ran.code == 2
    assert ran.err.splitlines()[0] == "triage: no[2Jwhere-[redacted]: no such file."


def test_many_inputs_that_are_not_there_are_counted(capsys: Capture) -> None:
    ran = triage(capsys, "log", *(f"nowhere-{number}" for number in range(500)))
    assert ran.code == 2
    assert "nowhere-4: no such file. And 495 more." in ran.err
    assert len(ran.err.splitlines()) == 2


def test_an_empty_name_is_not_the_folder_one_stands_in(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "job.log").write_text("ValueError: boom\n##[error]Process completed with exit code 1.\n")
    monkeypatch.chdir(tmp_path)
    ran = triage(capsys, "log", "")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("version", [21, 255])
def test_a_zip_of_an_unknown_version_is_told_in_a_line(capsys: Capture, tmp_path: Path, version: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("0_job.txt", "ValueError: boom\n##[error]Process completed with exit code 1.\n")
    content = bytearray(made.getvalue())
    entry = content.index(b"PK\x01\x02")
    content[entry + 6] = version
    (tmp_path / "logs.zip").write_bytes(content)
    ran = triage(capsys, "log", str(tmp_path / "logs.zip"))
    assert (ran.code, "no readable zip" in ran.err) == ((2, True) if version == 255 else (0, False))


def test_a_link_keeps_pointing_where_it_did_and_a_device_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "fix.patch")
    write_whole(tmp_path / "link", "diff\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "fix.patch").read_text() == "diff\n"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / "pipe", "diff\n")
    assert os.read(reader, 100) == b"diff\n"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_a_patch_has_a_name_as_long_as_names_may_be_and_is_no_folder(tmp_path: Path) -> None:
    write_whole(tmp_path / ("a" * 255), "diff\n")
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]
    with pytest.raises(UsageError, match="directory"):
        write_whole(tmp_path, "diff\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "9" * 5000),
        ("run", "1", "--attempt", "9" * 5000),
        ("run", "1", "--attempt", "²"),
        ("pr", "9" * 5000),
        ("run", "1", "--api-url", "http://[::1"),
        ("run", "1", "--api-url", "http://127.0.0.1:99999"),
        ("run", "1", "--api-url", "http://127.0.0.1:port"),
        ("run", "1", "--api-url", "file:///etc/passwd"),
    ],
)
def test_what_is_no_number_or_address_is_told_in_a_short_line(
    capsys: Capture, server: Server, arguments: tuple[str, ...]
) -> None:
    at = () if "--api-url" in arguments else ("--api-url", server.api_url)
    ran = triage(capsys, *arguments, *at, "--repo", REPO, "--token", "t0ken")
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert len(ran.err) < 500
