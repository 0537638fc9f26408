"""Files that a script names as neighbours, folders that one shell keeps, and copies that are called as their source."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.commands.test_stale_definitions import patch_of, typed
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.target import Target
from triage.fixes.whereabouts.find import program_of
from triage.fixes.whereabouts.typed import JOB, typed_path
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow
from triage.model.trail import Announced, Trail

SCRIPT = "examples/draft/train_all.sh"
LIST = "steps:\n- label: Two\n  working_dir: /build\n  commands:\n    - pytest tests/a.py\n    - {first}\n    - {second}\n    - make\n"


@pytest.mark.parametrize("entered", ["", 'cd "$(dirname "$0")"\n', 'cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1\n'])
@pytest.mark.parametrize("missing", ["/w/train/examples/draft/check.py", "check.py"])
def test_what_moved_one_folder_further_is_named_there_with_all_that_moved(entered: str, missing: str) -> None:
    text = f"set -e\n{entered}python train.py\npython check.py --out $OUT\npython ./export.py > export.log\n"
    files = {SCRIPT: text, "examples/draft/train.py": "", "examples/draft/tools/check.py": ""}
    files |= {"examples/draft/tools/export.py": "", "examples/draft/tools/train.py": ""}
    made = patch_of(files, missing, "cd examples/draft", "bash train_all.sh --fast")
    assert made.state is PatchState.PATCH, made.reason
    added = [line for line in changed(made) if line.startswith("+")]
    assert added == ["+python tools/check.py --out $OUT", "+python ./tools/export.py > export.log"]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("python check.py\n", ("examples/draft/a/check.py", "examples/draft/b/check.py")),  # which of them
        ("cd build\npython check.py\n", ("examples/draft/tools/check.py",)),  # in another folder
        ("echo x > check.py\npython check.sh\n", ("examples/draft/tools/check.py",)),  # the script writes it
    ],
)
def test_a_name_that_may_mean_something_else_stays(text: str, held: tuple[str, ...]) -> None:
    made = patch_of({SCRIPT: text, **dict.fromkeys(held, "")}, "check.py", "cd examples/draft", "bash train_all.sh")
    assert made.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("first", "second", "missing", "expected"),
    [
        (
            "cd examples/sync && SAFE=1 python3 run_async.py --n 2",
            "FAST=1 python3 examples/serve.py -dp=2",
            "/build/examples/sync/examples/serve.py",
            "+- SAFE=1 python3 examples/sync/run_async.py --n 2",
        ),
        # More than one program: the folder is theirs alone.
        (
            "cd examples/sync && bash setup.sh && python3 run_async.py",
            "python3 examples/serve.py",
            "/build/examples/sync/examples/serve.py",
            "+- (cd examples/sync && bash setup.sh && python3 run_async.py)",
        ),
        # A program that reads a file of its folder.
        (
            "cd examples/sync && python3 run_async.py --map map.json",
            "pytest examples/serve.py",
            "/build/examples/sync/examples/serve.py",
            "+- (cd examples/sync && python3 run_async.py --map map.json)",
        ),
    ],
)
def test_the_folder_of_one_command_is_left_behind_it(first: str, second: str, missing: str, expected: str) -> None:
    files = {".buildkite/p.yml": LIST.format(first=first, second=second), "examples/serve.py": "", "tests/a.py": ""}
    files |= {"examples/sync/run_async.py": "", "examples/sync/map.json": "", "examples/sync/setup.sh": ""}
    made = patch_of(files, missing)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [expected]


def test_a_folder_that_later_commands_need_is_kept() -> None:
    files = {
        ".buildkite/p.yml": LIST.format(
            first="cd examples/sync && python3 a.py\n    - python3 b.py", second="python3 examples/serve.py"
        ),
        **dict.fromkeys(("examples/serve.py", "examples/sync/a.py", "examples/sync/b.py"), ""),
    }
    assert patch_of(files, "/build/examples/sync/examples/serve.py").state is not PatchState.PATCH


COPIED = RepairWorkflow(path="{path}", copied=True)


def copied(line: str, missing: str, *held: str, **files: str):  # type: ignore[no-untyped-def]
    texts = {"ops/setup.sh": f"set -e\n{line}\n", **dict.fromkeys(held, ""), **files, **typed("bash ops/setup.sh")}
    place = (JOB, typed_path("log"))
    return patch(COPIED, *place, captures={"path": missing}, repository=tree(texts))


@pytest.mark.parametrize(
    ("line", "missing", "held", "expected"),
    [
        ("cp conf/default.yml ~/.cache/x/default.yml", "conf/default.yml", "conf/default.yaml", "cp conf/default.yaml ~/.cache/x/default.yaml"),
        ("cp conf/default.yml /etc/x.yml", "conf/default.yml", "conf/default.yaml", "cp conf/default.yaml /etc/x.yml"),
        ("mv assets/logo.jpeg site/", "assets/logo.jpeg", "assets/logo.jpg", "mv assets/logo.jpg site/"),
        ("sed -i s/a/b/ tools/launch_all.sh", "tools/launch_all.sh", "scripts/launch_all.sh", "sed -i s/a/b/ scripts/launch_all.sh"),
    ],
)  # fmt: skip
def test_a_copy_is_made_of_the_file_as_it_is_called_now(line: str, missing: str, held: str, expected: str) -> None:
    made = copied(line, missing, held)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{line}", f"+{expected}"]


def test_a_copy_that_something_else_reads_keeps_its_name() -> None:
    reader = {"src/read.py": 'open("/opt/default.yml")\n'}
    made = copied("cp conf/default.yml /opt/default.yml", "conf/default.yml", "conf/default.yaml", **reader)
    assert changed(made)[-1] == "+cp conf/default.yaml /opt/default.yml"


@pytest.mark.parametrize(
    ("line", "missing", "held"),
    [
        ("cp build/kernels.so lib/", "build/kernels.so", "third/kernels.so"),
        ("cp model/config.json out/", "model/config.json", "examples/config.json"),
        ("cp default.yml out/", "default.yml", "conf/default.yaml"),
        ("cp conf/*.yml out/", "conf/*.yml", "conf/default.yaml"),
        ("cp conf/default.yml out/", "conf/default.yml", "conf/default.json"),
    ],
)
def test_a_file_that_a_command_may_make_is_not_another_one(line: str, missing: str, held: str) -> None:
    assert copied(line, missing, held).state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("line", "held", "found"),
    [
        ("bash train_all.sh --n 1", (SCRIPT,), True),
        ("A=1 ./train_all.sh", (SCRIPT,), True),
        ("bash train_all.sh", (SCRIPT, "old/train_all.sh"), False),
        ("cd x && bash train_all.sh", (SCRIPT,), False),
        ("bash other/train_all.sh", (SCRIPT,), False),
    ],
)
def test_a_script_that_is_called_by_its_name_is_followed_into_its_folder(
    line: str, held: tuple[str, ...], found: bool
) -> None:
    trail = Trail((Announced(f"Run {line}", (line,)),))
    place = program_of(tree(dict.fromkeys(held, "")), Target("", "unit"), trail, "1")
    text = b"".join(getattr(place, "files", {}).values())
    assert (b"cd examples/draft" in text) is found


def test_nothing_is_offered_twice() -> None:
    assert not draft(COPIED, "", "", captures={"path": "x.yml"}, repository=tree({"x.yaml": ""})).edits
