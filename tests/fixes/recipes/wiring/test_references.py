"""Expressions that ask for a name which nothing has."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairReference, RepairWorkflow

OWN = ".github/workflows/own.yml"
INVALID = RepairWorkflow(file=OWN)
STEP = RepairReference("{input}")
BEFORE = """\
  plan:
    runs-on: cpu
    outputs:
      matrix: ${{ steps.set.outputs.matrix }}
    steps:
      - id: set
        run: echo "matrix=[1]" >> $GITHUB_OUTPUT
"""
TRAIN = """\
  train:
    needs: plan
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [a, b]
        case: ${{ fromJson(needs.plan.outputs.matrix) }}
    steps:
      - id: store
        run: echo "folder=$(pwd)" >> $GITHUB_OUTPUT
      - name: Keep
        uses: actions/cache@v4
        with:
          path: ${{ steps.store.outputs.folder }}
          key: ${{ runner.os }}
"""


def repository(old: str = "", new: str = "") -> MemoryTree:
    return tree({OWN: f"on: [push]\njobs:\n{BEFORE}{TRAIN}".replace(old, new) if old else ""})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("needs.plan.outputs.matrix", "needs.plan.outputs.matirx"),
        ("needs.plan.outputs.matrix", "needs.pla.outputs.matrix"),
        ("needs.plan.outputs.matrix", "needs.pllan.outputs.matriix"),
        ("steps.set.outputs.matrix", "steps.set.outputs.matix"),
        ("${{ matrix.os }}", "${{ matrix.oss }}"),
    ],
)
def test_a_slip_before_any_step_runs_is_mended(old: str, new: str) -> None:
    made = patch(INVALID, "train", OWN, repository=repository(old, new))
    assert made.state is PatchState.PATCH, made.reason
    assert old in next(line for line in changed(made) if line.startswith("+"))


@pytest.mark.parametrize("wrong", ["steps.store.outputs.foldr", "steps.sotre.outputs.folder"])
def test_the_input_that_came_to_nothing_asks_for_what_there_is(wrong: str) -> None:
    there = repository("steps.store.outputs.folder", wrong)
    made = patch(STEP, "train", OWN, step="Keep", captures={"input": "path"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-path: ${{{{ {wrong} }}}}", "+path: ${{ steps.store.outputs.folder }}"]


@pytest.mark.parametrize(
    ("old", "new", "captures"),
    [
        ("steps.store.outputs.folder", "steps.store.outputs.folder", {"input": "path"}),
        ("steps.store.outputs.folder", "steps.other.outputs.folder", {"input": "path"}),
        ("steps.store.outputs.folder", "steps.store.outputs.foldr", {"input": "key"}),
        ("steps.store.outputs.folder", "steps.store.outputs.foldr", {}),
    ],
)
def test_what_no_slip_explains_is_left(old: str, new: str, captures: dict[str, str]) -> None:
    made = draft(STEP, "train", OWN, step="Keep", captures=captures, repository=repository(old, new))
    assert made.state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Upper and lower case are one to GitHub.
        ("${{ matrix.os }}", "${{ matrix.OS }}"),
        ("case: ${{ fromJson(needs.plan.outputs.matrix) }}", "case: ${{ fromJson(Needs.plan.outputs.MATRIX) }}"),
        ("needs.plan.outputs.matrix", "needs.plan.outputs.Matrix"),
        ("${{ matrix.os }}", "${{ matrix.oss || 'cpu' }}"),
        # A variable of the script is no output.
        ('run: echo "matrix=[1]" >> $GITHUB_OUTPUT', 'run: |\n          matrx=[1]\n          make outputs\n'),
        # A job that is not waited for.
        ("  train:\n    needs: plan\n", "  plans:\n    runs-on: cpu\n    steps:\n      - run: make\n  train:\n    needs: plans\n"),
        # Outputs that the step itself is told to have.
        (
            'matrix: ${{ steps.set.outputs.matrix }}\n    steps:\n      - id: set\n        run: echo "matrix=[1]" >> $GITHUB_OUTPUT\n',
            ("doc: ${{ steps.set.outputs.doc }}\n      docs: ${{ steps.set.outputs.docs }}\n      matrix: ${{ steps.set.outputs.docs }}\n"
            "    steps:\n      - id: set\n        uses: example/filter@v3\n        with:\n          filters: |\n            doc: [a]\n            docs: [b]\n"),
        ),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_slip_stays(old: str, new: str) -> None:
    assert draft(INVALID, "train", OWN, repository=repository(old, new)).state is not PatchState.PATCH
