from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixes.recipes.repository import REPOSITORY, TRAIN
from tests.gates.change_of import change
from triage.gates.applies import applies, is_safe
from triage.gates.declared import changed_paths, declared
from triage.gates.layout import layout
from triage.gates.programs import Ended, NotRun, execute
from triage.gates.reaches import reaches
from triage.gates.shell_syntax import shell_syntax
from triage.gates.workflow import workflow
from triage.model.patch import Expectation, GateStatus

OK, FAILED, SKIPPED = GateStatus.OK, GateStatus.FAILED, GateStatus.SKIPPED


def test_a_diff_applies_and_yields_the_edited_bytes() -> None:
    assert applies(change(TRAIN, 'HOME: "/root"', 'HOME: "/data"')).status is OK


def test_a_diff_that_does_not_fit_the_head_fails() -> None:
    made = change(TRAIN, 'HOME: "/root"', 'HOME: "/data"')
    other = replace(made, old={TRAIN: made.old[TRAIN].replace(b"rocm_small", b"rocm_tiny")})
    assert applies(other).status is FAILED


def test_a_diff_that_yields_other_bytes_fails() -> None:
    made = change(TRAIN, 'HOME: "/root"', 'HOME: "/data"')
    assert "other bytes" in applies(replace(made, new={TRAIN: made.new[TRAIN] + b"#\n"})).reason


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", ".git/config", "a/.git/hooks/x", "a\\b", ""])
def test_paths_that_no_patch_may_touch(path: str) -> None:
    assert not is_safe(path)


def test_files_of_odd_ends_apply() -> None:
    for content in (b"a\r\nb\r\n", b"a\nb", b"\xef\xbb\xbfa\nb\n", "ä\nb\n".encode()):
        repository = replace(REPOSITORY, files={**REPOSITORY.files, "odd.sh": content})
        assert applies(change("odd.sh", "b", "c d", repository=repository)).status is OK


def test_only_declared_paths_may_change() -> None:
    path = f"{TRAIN}:jobs.rocm_small.env.HOME"
    assert declared(change(TRAIN, 'HOME: "/root"', 'HOME: "/data"', declared=(path,))).status is OK
    found = declared(change(TRAIN, 'HOME: "/root"', 'HOME: "/data"', declared=(f"{TRAIN}:jobs.rocm_small.steps[0]",)))
    assert found.status is FAILED
    assert "jobs.rocm_small.env.HOME" in found.reason
    assert declared(change(TRAIN, 'HOME: "/root"', 'HOME: "/data"')).status is FAILED


def test_an_inserted_step_is_declared_by_the_step_before_it() -> None:
    step = "      - name: List\n        run: pip list\n      - name: Train\n        run: |\n          ray stop"
    good = f"{TRAIN}:jobs.rocm_small.steps[+1]"
    old = "      - name: Train\n        run: |\n          ray stop"
    assert declared(change(TRAIN, old, step, declared=(good,))).status is OK
    assert declared(change(TRAIN, old, step, declared=(f"{TRAIN}:jobs.rocm_small.steps[+0]",))).status is FAILED
    assert declared(change(TRAIN, old, step, declared=(f"{TRAIN}:jobs.rocm_small.env",))).status is FAILED


def test_a_file_that_is_overwritten_by_another_is_no_edit() -> None:
    whole = REPOSITORY.read(TRAIN).decode()
    assert (
        "replacement"
        in declared(change(TRAIN, whole, REPOSITORY.read("tests/async.sh").decode(), declared=(TRAIN,))).reason
    )


def test_changed_paths_see_types_as_text_and_every_element() -> None:
    assert changed_paths(b"a: 1\nb: [x, y]\n", b"a: '1'\nb: [x, z]\n") == ("b[1]",)
    assert changed_paths(b"on: push\n", b"on: pull\n") == ("on",)


def test_an_invalid_workflow_fails() -> None:
    assert workflow(change(TRAIN, "run: python -m pkg.merge --dir out", "python -m pkg.merge")).status is FAILED
    assert workflow(change(TRAIN, "needs: [rocm_small, rocm_large]", "needs: [nobody]")).status is FAILED
    assert workflow(change("tests/run.sh", "set -x", "set -e")).reason == "no YAML is changed"


def test_bash_reads_every_changed_block() -> None:
    assert shell_syntax(change(TRAIN, "bash tests/run.sh trainer", "bash tests/run.sh 'trainer")).status is FAILED
    masked = change(TRAIN, "ray stop --force", "ray stop ${{ github.event.number }}")
    assert shell_syntax(masked).reason == "1 script"
    assert shell_syntax(change("tests/run.sh", "set -x", "if true; then")).status is FAILED
    assert shell_syntax(change(TRAIN, 'HOME: "/root"', "HOME: x")).reason == "no script is changed"


def test_a_script_of_another_shell_is_not_read() -> None:
    foreign = change(TRAIN, "run: python -m pkg.merge --dir out", "shell: pwsh\n        run: Get-Item out")
    assert shell_syntax(foreign).status is SKIPPED


def promise(kind: str, text: str, program: str = "pkg.train.main", job: str = "rocm_small") -> Expectation:
    path = TRAIN if kind != "line" else "tests/run.sh"
    return Expectation(kind, text, job, path, program if kind not in ("value", "line") else "")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("setting", "rollout.memory=0.7", OK),
        ("setting", "rollout.memory=0.8", FAILED),
        ("argument", "rollout.memory=0.7", OK),
        ("environment", "HOME=/root", OK),
        ("environment", "HOME=/other", FAILED),
        ("unset", "HOMES", OK),
        ("unset", "HOME", FAILED),
        ("command", "pip install --no-deps", OK),
        ("command", "pip instal", FAILED),
        ("absent", "pip freeze", OK),
        ("absent", "pip install", FAILED),
        ("value", "jobs.rocm_small.timeout-minutes=40", OK),
        ("value", "jobs.rocm_small.timeout-minutes=60", FAILED),
        ("line", "MEMORY=${MEMORY:-0.7}", OK),
        ("line", "MEMORY=0.7", FAILED),
        ("wish", "x", FAILED),
    ],
)
def test_a_promise_is_looked_for_in_the_patched_tree(kind: str, text: str, expected: GateStatus) -> None:
    made = change("tests/run.sh", "MEMORY:-0.8", "MEMORY:-0.7", promises=(promise(kind, text),))
    assert reaches(made).status is expected, reaches(made).reason


def test_every_command_must_have_it_and_a_program_that_is_not_there_has_nothing() -> None:
    one_of_two = change(
        TRAIN,
        "run.sh trainer.steps=2",
        "run.sh rollout.max_seqs=1",
        promises=(promise("setting", "rollout.max_seqs=1"),),
    )
    assert reaches(one_of_two).status is FAILED
    assert reaches(change(TRAIN, "/root", "/x", promises=(promise("setting", "a=1", "pkg.none"),))).status is FAILED


def test_a_draft_that_promises_nothing_fails_and_an_unknown_job_is_skipped() -> None:
    assert reaches(change(TRAIN, "/root", "/x")).status is FAILED
    assert reaches(change(TRAIN, "/root", "/x", promises=(promise("unset", "A", job="nobody"),))).status is SKIPPED


def test_a_layout_that_does_not_divide_fails_only_when_the_draft_broke_it() -> None:
    broken = layout(change("tests/async.sh", "gen_tp=1", "gen_tp=3", job="async"))
    assert broken is not None
    assert (broken.status, broken.mandatory) == (FAILED, False)
    sound = layout(change("tests/async.sh", "gen_tp=1", "gen_tp=2", job="async"))
    assert sound is not None
    assert sound.status is OK
    assert layout(change(TRAIN, "uninstall -y oldthing", "uninstall -y other")) is None


def test_a_program_that_is_not_installed_or_does_not_end_is_not_run(tmp_path: Path) -> None:
    assert isinstance(execute(("no-such-program-here",), tmp_path), NotRun)
    assert isinstance(execute(("sleep", "5"), tmp_path, seconds=0.1), NotRun)
    ended = execute(("bash", "-c", "echo $HOME; echo ${SECRET:-none}"), tmp_path)
    assert isinstance(ended, Ended)
    assert ended.output == f"{tmp_path}\nnone\n"


def test_what_ends_a_program_by_its_name_needs_no_setting() -> None:
    more = "set -x\nMEMORY=0.7\npkill -9 -f pkg.train.main"
    made = change("tests/run.sh", "set -x", more, promises=(promise("setting", "rollout.memory=0.7"),))
    assert reaches(made).status is OK, reaches(made).reason
