"""Programs of this machine: asked once about the same files, and anew about anything else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from triage.gates import programs
from triage.gates.applies import misfit
from triage.gates.programs import Ended, NotRun, ask

LIST = ("bash", "-c", "cat; for f in *; do echo $f: $(<$f); done; echo > left-behind")


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_answers", {})


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    run = subprocess.run

    def counted(command: list[str], **options: object) -> object:
        names.append(Path(command[0]).name)
        return run(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", counted)
    return names


def said(answer: Ended | NotRun) -> str:
    assert isinstance(answer, Ended), answer
    return answer.output


def test_the_same_question_is_asked_once(started: list[str]) -> None:
    first = ask(LIST, {"a": b"1", "b": b"2"}, stdin=b"in ")
    assert ask(LIST, {"b": b"2", "a": b"1"}, stdin=b"in ") is first
    assert said(first) == "in a: 1\nb: 2\n"
    assert started == ["bash"]


def test_anything_else_is_another_question(started: list[str]) -> None:
    questions = [
        (LIST, {"a": b"1"}, b""),
        (LIST, {"a": b"2"}, b""),
        (LIST, {"b": b"1"}, b""),
        (LIST, {"a": b"1", "b": b""}, b""),
        (LIST, {"a": b"1"}, b"in"),
        ((*LIST, "word"), {"a": b"1"}, b""),
        (("sh", *LIST[1:]), {"a": b"1"}, b""),
    ]
    for command, files, stdin in questions:
        ask(command, files, stdin=stdin)
    assert len(started) == len(questions)


def test_parts_do_not_run_into_each_other() -> None:
    assert said(ask(LIST, {"a": b"1"})) != said(ask(LIST, {"a": b"", "1": b""}))
    assert said(ask(("bash", "-c", "echo $0-$1", "a b", "c"), {})) == "a b-c\n"
    assert said(ask(("bash", "-c", "echo $0-$1", "a", "b c"), {})) == "a-b c\n"


def test_another_program_of_the_same_name_is_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        program = tmp_path / name / "sayer"
        program.parent.mkdir()
        program.write_text(f"#!/bin/bash\necho {name}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        assert said(ask(("sayer",), {})) == f"{name}\n"


def test_what_did_not_end_is_asked_again(started: list[str]) -> None:
    for _ in range(2):
        assert isinstance(ask(("sleep", "5"), {}, seconds=0.05), NotRun)
        assert isinstance(ask(("no-such-program-here",), {}), NotRun)
    assert started == ["sleep", "sleep"]


def test_old_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch, started: list[str]) -> None:
    monkeypatch.setattr(programs, "_MOST", 2)
    for content in (b"1", b"2", b"3", b"3", b"1"):
        ask(LIST, {"a": content})
    assert len(started) == 4


@pytest.mark.parametrize("inside", [True, False])
def test_a_diff_is_tried_as_if_there_were_no_repository_around(
    inside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a repository git would pass over files below another folder and say that all is well."""
    if inside:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n"
    assert misfit(diff, {"f": b"old\n"}) == ""
    assert "patch failed" in misfit(diff, {"f": b"other\n"})
