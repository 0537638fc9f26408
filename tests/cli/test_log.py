import gzip
import io
import json
import re
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import triage
from tests.pipeline.fakes import MISSING, job_log
from triage.cli import reading
from triage.demo.runs import make_clone
from triage.sources.logs import FileLog

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "job.log"
    path.write_text(job_log("Complete job name: model_rmpad", "Run tests", MISSING))
    return path


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "train"
    make_clone(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def test_json_is_one_object_on_stdout_and_nothing_else(capsys: Capture, log: Path) -> None:
    ran = triage(capsys, "log", str(log), "--format", "json")
    assert ran.code == 0
    assert ran.err == ""
    assert json.loads(ran.out)["causes"][0]["family"] == "missing-requirement"


@pytest.mark.parametrize("kind", ["folder", "zip", "gz", "stdin"])
def test_logs_come_in_many_wrappings(capsys: Capture, log: Path, kind: str, tmp_path: Path) -> None:
    given, stdin = str(log), b""
    if kind == "folder":
        (tmp_path / "logs").mkdir()
        log.rename(tmp_path / "logs" / "0_model.txt")
        given = str(tmp_path / "logs")
    elif kind == "zip":
        given = str(tmp_path / "logs.zip")
        with zipfile.ZipFile(given, "w") as archive:
            archive.writestr("0_model_rmpad.txt", log.read_bytes())
    elif kind == "gz":
        given = str(tmp_path / "job.log.gz")
        Path(given).write_bytes(gzip.compress(log.read_bytes()))
    else:
        given, stdin = "-", log.read_bytes()
    ran = triage(capsys, "log", given, "--format", "json", stdin=stdin)
    assert ran.code == 0
    assert [cause["signature"] for cause in json.loads(ran.out)["causes"]] == ["python-module-not-found"]


def test_a_checkout_turns_advice_into_a_patch_that_applies(capsys: Capture, log: Path, clone: Path) -> None:
    patch = clone.parent / "fix.patch"
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--patch", str(patch))
    assert ran.code == 0, ran.err
    git(clone, "apply", "--check", str(patch))
    assert "+          pip3 install -r requirements.txt\n" in patch.read_text()
    assert git(clone, "status", "--porcelain") == ""


def test_apply_writes_into_a_clean_checkout_only(capsys: Capture, log: Path, clone: Path) -> None:
    arguments = ("log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--apply")
    assert triage(capsys, *arguments).code == 0
    assert git(clone, "diff", "--stat").strip().endswith("1 file changed, 1 insertion(+)")
    again = triage(capsys, *arguments)
    assert again.code == 2
    assert "not clean (.github/workflows/model.yml is changed)" in again.err


def test_exit_status_tells_explained_from_unexplained(capsys: Capture, log: Path, tmp_path: Path) -> None:
    assert triage(capsys, "log", str(log), "--exit-status").code == 10
    odd = tmp_path / "odd.log"
    odd.write_text(job_log("fatal: the flux capacitor is out of tune"))
    assert triage(capsys, "log", str(odd), "--exit-status").code == 11
    # A symptom without its root is shown, and explains nothing.
    odd.write_text(job_log("failed (exitcode: -9) local_rank: 1 (pid: 1603) of binary: /usr/bin/python"))
    ran = triage(capsys, "log", str(odd), "--exit-status")
    assert "low confidence" in ran.out
    assert ran.code == 11


def test_a_green_log_is_nothing_to_triage_and_json_stays_json(capsys: Capture, tmp_path: Path) -> None:
    green = tmp_path / "green.log"
    green.write_text(job_log("12 passed in 3.10s", exit_code=0))
    ran = triage(capsys, "log", str(green), "--format", "json")
    assert ran.code == 3
    assert json.loads(ran.out)["failures"] == []
    assert "no failure found in green.log" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["/no/such.log"], 2, "/no/such.log: no such file"),
        (["{empty}"], 3, "empty"),
        (["{log}", "--patch", "x.patch"], 2, "a patch needs a tree"),
        (["{log}", "--checkout", "/no/where"], 2, "/no/where: no such folder"),
        (["{log}", "--signatures", "/no/where"], 2, "/no/where: no such folder"),
        (["{log}", "--config", "/no/where"], 2, "/no/where"),
        (["{log}", "--format", "yaml"], 2, "yaml"),
        (["{zip}"], 2, "bad.zip"),
    ],
)
def test_bad_input_is_one_line_with_a_remedy(
    capsys: Capture, log: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 not really")
    places = {"log": log, "empty": tmp_path / "empty.log", "zip": tmp_path / "bad.zip"}
    ran = triage(capsys, "log", *(argument.format(**places) for argument in arguments))
    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err + ran.out
    assert len(ran.err.splitlines()) <= 2


def test_what_cannot_be_read_does_not_keep_the_rest_from_being_read(capsys: Capture, log: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 not really")
    for name in ("bad.zip", "missing.log"):
        ran = triage(capsys, "log", str(log), str(tmp_path / name), "--format", "json")
        # The rest is told, and a script learns that an input which it named was not.
        assert ran.code == 2
        assert f"{name}: " in ran.err
        document = json.loads(ran.out)
        assert len(document["failures"]) == 1
        assert f"2 inputs: 1 with a failure, 1 not readable ({name})" in document["notices"]


def test_of_a_folder_every_log_is_counted(capsys: Capture, log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log.rename(folder / "red.log")
    (folder / "green.log").write_text(job_log("12 passed in 3.10s", exit_code=0))
    (folder / "empty.log").write_bytes(b"")
    (folder / "core.log").write_bytes(bytes(range(32)) * 99)
    ran = triage(capsys, "log", str(folder))
    assert ran.code == 0
    words = " ".join(ran.out.split())
    assert words.startswith("1 log with a failure: 1 cause named")
    assert "note 4 inputs: 1 with a failure, 1 without one (green.log), 2 not readable (core.log, empty.log)" in words
    (folder / "red.log").unlink()
    ran = triage(capsys, "log", str(folder))
    assert ran.code == 3
    assert "no failure found in green.log. Not readable: core.log, empty.log." in ran.err


def test_several_jobs_of_one_log_are_not_called_logs(capsys: Capture, tmp_path: Path) -> None:
    rows = [
        f"{job}\tRun tests\t2026-08-20T03:11:4{n}.0000000Z {line}"
        for job in ("build (1)", "build (2)")
        for n, line in enumerate([MISSING, "##[error]Process completed with exit code 1."])
    ]
    (tmp_path / "gh.log").write_text("\n".join(rows))
    assert triage(capsys, "log", str(tmp_path / "gh.log")).out.startswith("2 failed jobs in 1 log: ")


@pytest.mark.parametrize("option", [("--workflow", "model.yml"), ("--siblings",)])
def test_what_needs_a_tree_is_refused_without_one(capsys: Capture, log: Path, option: tuple[str, ...]) -> None:
    ran = triage(capsys, "log", str(log), *option)
    assert (ran.code, ran.out) == (2, "")
    assert f"{option[0]} needs the tree" in ran.err
    assert f"Add --checkout DIR, or leave out {option[0]}." in ran.err


def test_a_job_without_a_checkout_is_named_and_no_more(capsys: Capture, log: Path) -> None:
    words = " ".join(triage(capsys, "log", str(log), "--job", "other").out.split())
    assert "job other " in words
    assert "--job only names the job so far; for a patch, add --checkout DIR --workflow FILE" in words


def test_a_person_at_the_terminal_sees_that_a_large_log_is_being_read(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, log: Path
) -> None:
    monkeypatch.setattr(reading, "_BEAT", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with reading.reading([FileLog("job.log", log), FileLog("gone.log", Path("/no/such.log"))]):
        time.sleep(0.1)
    drawn = capsys.readouterr().err
    assert "reading 2 logs: 0 s" in drawn
    assert drawn.endswith("\r\x1b[K")
    monkeypatch.setenv("TRIAGE_QUIET", "1")
    with reading.reading([FileLog("job.log", log)]):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_folder_that_is_no_clone_is_read_as_it_lies(capsys: Capture, log: Path, clone: Path) -> None:
    git(clone, "gc", "--quiet")
    (clone / ".git").rename(clone.parent / "moved")
    patch = clone.parent / "fix.patch"
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--patch", str(patch))
    assert ran.code == 0
    assert "requirements.txt" in patch.read_text()
    assert "is no git clone" in " ".join(ran.out.split())


def test_what_is_not_committed_is_said_to_be_unread(capsys: Capture, log: Path, clone: Path) -> None:
    command = ["log", str(log), "--checkout", str(clone), "--workflow", "model.yml"]
    assert "not committed" not in triage(capsys, *command).out
    with (clone / ".github/workflows/model.yml").open("a") as workflow:
        workflow.write("# mine\n")
    words = " ".join(triage(capsys, *command).out.split())
    assert re.search(r"not committed, and read as [0-9a-f]{9} has it: \.github/workflows/model\.yml", words)


def test_what_is_applied_is_not_told_to_apply_and_is_not_written_where_it_cannot_be(
    capsys: Capture, log: Path, clone: Path
) -> None:
    patch = clone.parent / "fix.patch"
    command = ["log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--patch", str(patch), "--apply"]
    changed = clone / ".github/workflows/model.yml"
    before = changed.read_bytes()
    changed.write_bytes(before + b"# mine\n")
    assert triage(capsys, *command).code == 2
    assert not patch.exists()
    changed.write_bytes(before)
    ran = triage(capsys, *command)
    assert ran.code == 0
    assert "applied to" in ran.err
    assert "git apply" not in ran.err


def test_a_hook_of_another_repository_leads_no_git_astray(
    capsys: Capture, log: Path, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    before = (other / ".git/config").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    make_clone(tmp_path / "again")
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--apply")
    monkeypatch.delenv("GIT_DIR")
    assert ran.code == 0, ran.err
    assert git(clone, "diff", "--stat").strip().endswith("1 file changed, 1 insertion(+)")
    assert git(tmp_path / "again", "log", "--format=%H").split()
    assert (other / ".git/config").read_bytes() == before
    assert list((other / ".git/objects").glob("??")) == []


def test_a_patch_file_that_cannot_be_written_is_said(capsys: Capture, log: Path, clone: Path) -> None:
    ran = triage(
        capsys, "log", str(log), "--checkout", str(clone), "--workflow", "model.yml", "--patch", "/proc/nothing.patch"
    )
    assert ran.code == 2
    assert "/proc/nothing.patch" in ran.err


def test_the_only_workflow_with_such_a_job_is_taken(capsys: Capture, log: Path, clone: Path) -> None:
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--format", "json")
    found = json.loads(ran.out)
    assert found["notices"] == []
    assert found["patches"][0]["state"] == "patch"
    notes = " ".join(found["patches"][0]["notes"])
    assert ".github/workflows/model.yml is the only workflow with a job model" in notes


def test_several_workflows_with_such_a_job_are_named(capsys: Capture, log: Path, clone: Path) -> None:
    text = (clone / ".github/workflows/model.yml").read_text()
    (clone / ".github/workflows/another.yml").write_text(text)
    git(clone, "add", "-A")
    git(clone, "-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-qm", "another")
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--format", "json")
    notices = json.loads(ran.out)["notices"]
    assert "for a patch, add --workflow FILE, those with such a job: another.yml, model.yml" in notices


def test_a_checkout_without_such_a_job_names_all_workflows(capsys: Capture, log: Path, clone: Path) -> None:
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--job", "nope", "--format", "json")
    notices = json.loads(ran.out)["notices"]
    assert any(one.startswith("for a patch, add --workflow FILE, one of e2e_fully_async.yml, ") for one in notices)


@pytest.mark.parametrize(("job", "said"), [("nope", True), ("model", False), ("Model RMpad (2)", False)])
def test_a_log_of_another_job_is_told_from_one_of_the_job_named(
    capsys: Capture, log: Path, job: str, said: bool
) -> None:
    notices = json.loads(triage(capsys, "log", str(log), "--job", job, "--format", "json").out)["notices"]
    assert ("taken for the job nope, but the log calls its own model_rmpad" in notices) is said


def test_a_log_alone_says_once_how_to_get_a_patch(capsys: Capture, log: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.log"
    again.write_text(log.read_text().replace("transfer_queue", "another_queue"))
    words = " ".join(triage(capsys, "log", str(log), str(again)).out.split())
    assert words.count("for a patch, add --checkout DIR --workflow FILE --job NAME") == 1


def test_a_log_that_no_edit_can_help_says_nothing_of_patches(capsys: Capture, tmp_path: Path) -> None:
    lost = tmp_path / "lost.log"
    lost.write_text(job_log("fatal: the flux capacitor is out of tune"))
    assert "for a patch" not in triage(capsys, "log", str(lost)).out


@pytest.mark.parametrize("name", ["model", "model.yml", ".github/workflows/model.yml"])
def test_a_workflow_is_named_by_path_file_or_stem(capsys: Capture, log: Path, clone: Path, name: str) -> None:
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), "--workflow", name, "--format", "json")
    assert json.loads(ran.out)["patches"][0]["state"] == "patch"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--workflow", "modell.yml"), ["modell.yml: no such workflow", "The nearest: model.yml."]),
        (("--workflow", "zzz"), ["zzz: no such workflow", "There are: e2e_fully_async.yml, "]),
        (("--workflow", "model.yml", "--job", "nope"), ["no job is called `nope`; there are model_rmpad", "--job"]),
    ],
)
def test_a_workflow_or_job_that_is_not_there_is_refused_with_those_that_are(
    capsys: Capture, log: Path, clone: Path, arguments: tuple[str, ...], said: list[str]
) -> None:
    ran = triage(capsys, "log", str(log), "--checkout", str(clone), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert all(part in line for part, line in zip(said, ran.err.splitlines(), strict=True))


def test_of_a_log_alone_no_verdict_is_printed(capsys: Capture, log: Path) -> None:
    assert "  verdict " not in triage(capsys, "log", str(log)).out


def test_a_log_that_no_signature_matches_says_what_to_do_next(capsys: Capture, tmp_path: Path) -> None:
    odd = tmp_path / "odd.log"
    odd.write_text(job_log("fatal: the flux capacitor is out of tune"))
    out = triage(capsys, "log", str(odd)).out
    assert out.startswith("1 log with a failure: no cause named\n")
    said = "".join(out.split())
    assert f"signaturesnewID--from-log{odd}--line4" in said


def test_of_several_logs_each_cause_names_its_file(capsys: Capture, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(log.parent)
    other = log.with_name("other.log")
    other.write_text(job_log("Complete job name: train", "OSError: [Errno 28] No space left on device"))
    out = triage(capsys, "log", "job.log", "other.log").out
    assert "  log       job.log\n" in out
    assert "  log       other.log\n" in out
    assert "- log: `job.log`\n" in triage(capsys, "log", "job.log", "--format", "markdown").out


def test_a_checkout_without_workflows_may_be_the_wrong_clone(capsys: Capture, log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    git(other, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "Begin")
    ran = triage(capsys, "log", str(log), "--checkout", str(other), "--workflow", "e2e.yml")
    assert ran.code == 2
    assert "It has none: is --checkout the clone" in ran.err


def test_a_person_who_types_a_dash_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, log: Path
) -> None:
    content = log.read_bytes()
    assert "Ctrl-D" not in triage(capsys, "log", "-", stdin=content).err

    class Keyboard(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("io.TextIOWrapper", Keyboard)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "press Ctrl-D" in triage(capsys, "log", "-", stdin=content).err
