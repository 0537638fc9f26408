"""Small edits of a step: an environment entered, an archive's folder left out, a file of tests left to other jobs."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import ActivateEnvironment, IgnoreTest, StripArchive

OWN = ".github/workflows/own.yml"


def workflow(*scripts: str, label: str = "gpu") -> str:
    steps = ""
    for at, script in enumerate(scripts):
        lines = "".join(f"          {line}\n" for line in script.splitlines())
        steps += f"      - name: Step {at}\n        run: |\n{lines}"
    return f"on: [push]\njobs:\n  unit:\n    runs-on: [{label}]\n    steps:\n{steps}"


ENTER = "source activate train"
IMPORT = "python3 -m kernels\npython3 -c 'import kernels'"


@pytest.mark.parametrize("step", ["Step 0", "Run python3 -m kernels"])
def test_the_step_enters_the_environment_of_the_others(step: str) -> None:
    given = tree({OWN: workflow(IMPORT, f"{ENTER}\nmake a", f"{ENTER}\nmake b")})
    made = patch(ActivateEnvironment(), "unit", OWN, step=step, repository=given)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+{ENTER}"]


@pytest.mark.parametrize(
    ("scripts", "state"),
    [
        ((IMPORT, f"{ENTER}\nmake a"), PatchState.REFUSED),
        ((IMPORT, f"{ENTER}\nmake a", "source activate other\nmake b"), PatchState.REFUSED),
        ((f"source activate other\n{IMPORT}", f"{ENTER}\nmake a", f"{ENTER}\nmake b"), PatchState.REFUSED),
        ((f"{ENTER}\n{IMPORT}", f"{ENTER}\nmake a", f"{ENTER}\nmake b"), PatchState.IN_PLACE),
    ],
)
def test_no_environment_is_entered_where_they_do_not_agree(scripts: tuple[str, ...], state: PatchState) -> None:
    given = tree({OWN: workflow(*scripts)})
    assert draft(ActivateEnvironment(), "unit", OWN, step="Step 0", repository=given).state is state


@pytest.mark.parametrize(
    ("tar", "path", "expected"),
    [
        ("tar -xzf linker-x86_64-linux.tar.gz -C tools", "tools/linker", PatchState.PATCH),
        ('tar xf "linker-x86_64-linux.tar.gz" -C tools/', "tools/linker", PatchState.PATCH),
        ("tar -xzf linker.tgz --strip-components=1 -C tools", "tools/linker", PatchState.IN_PLACE),
        # Not named after the program, into another folder, with a member of its own, or no archive at all.
        ("tar -xzf release.tar.gz -C tools", "tools/linker", PatchState.REFUSED),
        ("tar -xzf linkers.tar.gz -C tools", "tools/linker", PatchState.REFUSED),
        ("tar -xzf linker.tar.gz -C other", "tools/linker", PatchState.REFUSED),
        ("tar -xzf linker.tar.gz -C tools linker", "tools/linker", PatchState.REFUSED),
        ("tar -czf linker.tar.gz -C tools .", "tools/linker", PatchState.REFUSED),
        ("unzip linker.zip -d tools", "tools/linker", PatchState.REFUSED),
        ("tar -xzf linker.tar.gz", "linker", PatchState.REFUSED),
    ],
)
def test_an_archive_loses_its_folder_where_the_next_command_expects_none(
    tar: str, path: str, expected: PatchState
) -> None:
    given = {
        "step": "Step 0",
        "captures": {"path": path},
        "repository": tree({OWN: workflow(f"{tar}\nmv {path} /bin")}),
    }
    assert draft(StripArchive("{path}"), "unit", OWN, **given).state is expected  # type: ignore[arg-type]
    if expected is PatchState.PATCH:
        made = patch(StripArchive("{path}"), "unit", OWN, **given)  # type: ignore[arg-type]
        assert changed(made)[1] == f"+{tar} --strip-components=1"


IGNORES = 'pytest -x --ignore-glob="*test_a*" --ignore-glob="tests/b/" --ignore-glob="*test_c.py*" tests/ -k \'not d\''
CUDA = {"tests/test_move.py": 'def test_move():\n    make(device="cuda")\n'}


def left_out(command: str = IGNORES, label: str = "ascend-npu-1", **files: str) -> tuple[PatchState, list[str]]:
    given: MemoryTree = tree({OWN: workflow(command, label=label), **(files or CUDA)})
    recipe, captures = IgnoreTest("{test}"), {"test": "/__w/train/train/tests/test_move.py"}
    state = draft(recipe, "unit", OWN, step="Step 0", captures=captures, repository=given).state
    return state, changed(patch(recipe, "unit", OWN, step="Step 0", captures=captures, repository=given))


def test_the_file_is_left_out_as_the_others_are() -> None:
    state, lines = left_out()
    assert state is PatchState.PATCH
    assert lines[1] == "+" + IGNORES.replace(" tests/ -k", ' --ignore-glob="*test_move.py*" tests/ -k')


@pytest.mark.parametrize(
    ("command", "label", "files", "state"),
    [
        (IGNORES, "gpu-h100", {}, PatchState.REFUSED),
        (IGNORES, "machine", {}, PatchState.REFUSED),
        ("pytest -x --ignore-glob=\"*test_a*\" tests/", "ascend-npu-1", {}, PatchState.ADVICE),
        (IGNORES.replace("test_a", "test_move"), "ascend-npu-1", {}, PatchState.IN_PLACE),
        (f"{IGNORES}\n{IGNORES}", "ascend-npu-1", {}, PatchState.REFUSED),
        (IGNORES, "ascend-npu-1", {"tests/test_move.py": "make()\n"}, PatchState.REFUSED),
        (IGNORES, "ascend-npu-1", {**CUDA, "tests/e2e/test_move.py": ""}, PatchState.ADVICE),
    ],
)  # fmt: skip
def test_no_file_is_left_out_without_the_job_s_habit(
    command: str, label: str, files: dict[str, str], state: PatchState
) -> None:
    assert left_out(command, label, **files) == (state, [])
