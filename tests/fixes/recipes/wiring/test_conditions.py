from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow(file="{file}")
OWN = ".github/workflows/own.yml"


def job(condition: str, step: str = "") -> MemoryTree:
    text = f"on: push\njobs:\n  train:\n    runs-on: gpu\n    if: {condition}\n    steps:\n      - name: Test\n{step}        run: make\n"
    return tree({OWN: text})


BLOCK = (
    "|\n      # off until the driver is new\n      false &&\n      # and then\n      github.ref == 'refs/heads/main'"
)


def test_comments_of_a_condition_stand_above_it() -> None:
    made = patch(REPAIR, "train", OWN, repository=job(BLOCK))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [
        *("+# off until the driver is new", "+# and then"),
        *("-# off until the driver is new", "-# and then"),
    ]


def test_so_do_those_of_a_step() -> None:
    held = job("always()", "        if: >-\n          # slow\n          github.event_name == 'push'\n")
    made = patch(REPAIR, "train", OWN, repository=held)
    assert changed(made) == ["+# slow", "-# slow"], made.reason


@pytest.mark.parametrize(
    ("condition", "new"),
    [
        ("runner.os != Windows", "runner.os != 'Windows'"),
        ("${{ github.event_name == push }}", "${{ github.event_name == 'push' }}"),
        ("github.ref == refs/heads/main", "github.ref == 'refs/heads/main'"),
        ("github.actor == 'a' or github.actor == 'b'", "github.actor == 'a' || github.actor == 'b'"),
        ("always() and (github.ref_name == main)", "always() && (github.ref_name == 'main')"),
    ],
)
def test_what_an_expression_does_not_take_is_written_as_it_does(condition: str, new: str) -> None:
    made = patch(REPAIR, "train", OWN, repository=job(condition))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [f"-if: {condition}", f"+if: {new}"]


@pytest.mark.parametrize(
    "condition",
    [
        "github.event_name == 'push and more' && matrix.a == true",
        "needs.a.result == needs.b.result",
        "env.SIDE == fromJSON('[1]')[0]",
        "github.actor != github.repository_owner",
    ],
)
def test_an_expression_that_is_right_stays(condition: str) -> None:
    assert not draft(REPAIR, "train", OWN, repository=job(condition)).edits
