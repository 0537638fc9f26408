"""A file's name that a workflow gives to a program, and a folder that a step changes to."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

OWN = ".github/workflows/own.yml"
RECIPE = RepairWorkflow(path="{path}")
CALLER = """on: [push]
jobs:
  nightly:
    strategy:
      matrix:
        case:
          - name: large
            file: Large-W8A8-long.yaml
          - name: small
            file: Small.yaml
    uses: ./.github/workflows/_one.yml
    with:
      file: ${{ matrix.case.file }}
"""
CALLED = """on:
  workflow_call:
    inputs:
      file: {type: string}
jobs:
  one:
    runs-on: gpu
    steps:
      - name: Test
        env:
          FILE: ${{ inputs.file }}
        run: pytest tests/run.py
"""
STEPS = "on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    env:\n      CASE: nightly/mid_size.yaml\n    steps:\n      - name: Test\n        run: pytest tests/run.py\n"


@pytest.mark.parametrize(
    ("text", "job", "missing", "there", "expected"),
    [
        (CALLER, "nightly", "tests/cases/Large-W8A8-long.yaml", "tests/cases/Large-w8a8-long.yaml", "+file: Large-w8a8-long.yaml"),
        (CALLER, "nightly / one", "/__w/train/train/tests/cases/Small.yaml", "tests/cases/Smalls.yaml", "+file: Smalls.yaml"),
        (STEPS, "unit", "configs/nightly/mid_size.yaml", "configs/nightly/mid-size.yaml", "+CASE: nightly/mid-size.yaml"),
    ],
)  # fmt: skip
def test_a_name_in_the_workflow_is_that_of_the_folder(
    text: str, job: str, missing: str, there: str, expected: str
) -> None:
    files = {
        OWN: text,
        ".github/workflows/_one.yml": CALLED,
        there: "",
        "tests/cases/other.yaml": "",
        "tests/run.py": "",
    }
    made = patch(RECIPE, job, OWN, step="Test", captures={"path": missing}, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [expected]


@pytest.mark.parametrize(
    "there", ["tests/cases/Other.yaml", "elsewhere/Large-W8A8-long.yaml", "tests/cases/Large-W4A8-long.yaml"]
)
def test_another_file_is_not_meant(there: str) -> None:
    files = {OWN: CALLER, ".github/workflows/_one.yml": CALLED, there: "", "tests/cases/x.yaml": "", "tests/run.py": ""}
    captures = {"path": "tests/cases/Large-W8A8-long.yaml"}
    made = draft(RECIPE, "nightly", OWN, step="Test", captures=captures, repository=tree(files))
    assert made.state is not PatchState.PATCH


def step(run: str) -> str:
    lines = "".join(f"          {line}\n" for line in run.split("\n"))
    return f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Test\n        run: |\n{lines}"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("cd test/old\npython3 test_mla.py", "+cd test/new/mla"),
        ("set -x\ncd test/old && python3 test_mla.py -v", "+cd test/new/mla && python3 test_mla.py -v"),
        # Something else is still there: only the path of the one file changes.
        ("cd test/old\npython3 test_a.py\npython3 test_mla.py", "+python3 ../new/mla/test_mla.py"),
    ],
)
def test_the_step_changes_to_the_folder_of_its_files(run: str, expected: str) -> None:
    files = {OWN: step(run), "test/old/test_a.py": "", "test/new/mla/test_mla.py": "", "test/new/test_b.py": ""}
    captures = {"path": "/w/train/test/old/test_mla.py"}
    made = patch(RECIPE, "unit", OWN, step="Test", captures=captures, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [expected]
