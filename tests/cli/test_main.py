import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import triage
from triage.cli import log, main, show
from triage.errors import CatalogueError, ConfigurationError, GitHubError, NothingToTriage, TriageError, UsageError

Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert triage(capsys, "--version").out.startswith("triage 0.")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("what", "how"), 2),
        (ConfigurationError("what", "how"), 2),
        (NothingToTriage("what", "how"), 3),
        (GitHubError("what", "how"), 4),
        (CatalogueError("what", "how"), 5),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError("oops"), 1),
    ],
)
def test_every_error_has_its_code_and_no_traceback(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    def fail(files: list[str]) -> None:
        raise error

    monkeypatch.setattr(log, "_collect", fail)
    ran = triage(capsys, "log", "x.log")
    assert ran.code == code
    assert ran.out == ""
    assert "Traceback" not in ran.err
    if isinstance(error, TriageError):
        assert ran.err == "triage: what\n        how\n"


def test_on_a_terminal_an_error_breaks_between_words_and_keeps_addresses_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "40")
    address = f"https://ghe.example/{'x' * 40}"
    main._say(f"the run could not be read at {address}, which refuses.", "Check the network and the proxy first.")
    lines = screen.getvalue().splitlines()
    assert [len(line) <= 40 or address in line for line in lines] == [True] * len(lines)
    assert lines[0] == "triage: the run could not be read at"
    assert lines[-2:] == ["        Check the network and the proxy", "        first."]
    show.say("a notice beside the result that is longer than the terminal is wide")
    assert max(map(len, screen.getvalue().splitlines()[len(lines) :])) <= 40


def test_a_command_that_is_not_there(capsys: Capture) -> None:
    ran = triage(capsys, "nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "triage: No such command 'nonsense'.\n        See triage --help.\n"


def test_wrong_arguments_point_to_the_help_of_the_command(capsys: Capture) -> None:
    ran = triage(capsys, "log", "x.log", "--format", "xml")
    assert ran.code == 2
    assert "'xml' is not one of 'terminal'" in ran.err
    assert "Value error" not in ran.err
    assert ran.err.endswith("See triage log --help.\n")


@pytest.mark.parametrize("group", [(), ("cache",), ("history",), ("signatures",)])
def test_a_command_that_needs_another_shows_its_help_as_it_is(capsys: Capture, group: tuple[str, ...]) -> None:
    bare = triage(capsys, *group)
    assert (bare.code, bare.out) == (2, "")
    assert bare.err == triage(capsys, *group, "--help").out


@pytest.mark.parametrize("remote", ["/srv/team/train", "../team/train", "file:///srv/team/train"])
def test_a_remote_on_this_machine_names_no_repository(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, remote: str
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", remote], check=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    ran = triage(capsys, "run", "123")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "triage: no repository is named, and this folder is no clone of one on GitHub.",
    )


def test_run_needs_a_repository(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    ran = triage(capsys, "run", "123")
    assert ran.code == 2
    assert "no repository is named" in ran.err


def test_json_schema_name(capsys: Capture, tmp_path: object) -> None:
    path = f"{tmp_path}/x.log"
    with open(path, "w") as file:  # noqa: PTH123
        file.write("ModuleNotFoundError: No module named 'x'\n")
    assert json.loads(triage(capsys, "log", path, "-f", "json").out)["schema"] == "triage.result/1"


@pytest.mark.parametrize("group", [(), ("cache",), ("history",), ("signatures",), ("verify",)])
def test_no_command_is_cut_off_where_the_help_names_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, group: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "..." not in triage(capsys, *group, "--help").out.split("Commands:")[1]
