from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow(file="{file}", kind="{kind}", refused="{refused}")
OWN = ".github/workflows/docs.yml"
ELSEWHERE = "example/docs/.github/workflows/build.yml@main"


def said(kind: str, refused: str) -> dict[str, str]:
    return {"file": OWN, "kind": kind, "refused": refused}


def calling(*jobs: str) -> MemoryTree:
    return tree({OWN: "on: push\njobs:\n" + "".join(jobs)})


def job(name: str, used: str = ELSEWHERE, given: str = "") -> str:
    return f"  {name}:\n    uses: {used}\n{given}"


@pytest.mark.parametrize(
    ("given", "kind", "refused", "gone"),
    [
        ("    with:\n      package: train\n      owner: someone\n", "input", "owner", ["-owner: someone"]),
        ("    with:\n      owner: someone\n", "input", "owner", ["-with:", "-owner: someone"]),
        ("    secrets:\n      token: x\n      hub: y\n", "secret", "hub", ["-hub: y"]),
        ("    with:\n      hub: y\n    secrets:\n      hub: y\n", "secret", "hub", ["-secrets:", "-hub: y"]),
    ],
)
def test_what_the_called_workflow_does_not_define_is_handed_over_no_more(
    given: str, kind: str, refused: str, gone: list[str]
) -> None:
    made = patch(REPAIR, "", OWN, repository=calling(job("docs", given=given)), captures=said(kind, refused))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == gone


def test_every_call_of_it_is_mended() -> None:
    given = "    with:\n      package: train\n      owner: someone\n"
    made = patch(
        REPAIR,
        "",
        OWN,
        repository=calling(job("a", given=given), job("b", given=given)),
        captures=said("input", "owner"),
    )
    assert changed(made) == ["-owner: someone", "-owner: someone"]


@pytest.mark.parametrize(
    ("jobs", "state"),
    [
        ([job("docs", given="    with:\n      package: train\n")], PatchState.IN_PLACE),
        ([job("docs", given="    secrets: inherit\n")], PatchState.IN_PLACE),
        ([job("docs", given="    with: {package: train, owner: someone}\n")], PatchState.REFUSED),
        (
            [
                job("a", given="    with:\n      owner: x\n      n: 1\n"),
                job("b", "example/other/.github/workflows/b.yml@v1", "    with:\n      owner: x\n      n: 1\n"),
            ],
            PatchState.ADVICE,
        ),
    ],
)
def test_what_is_not_handed_over_or_may_be_another_call_stays(jobs: list[str], state: PatchState) -> None:
    made = draft(REPAIR, "", OWN, repository=calling(*jobs), captures=said("input", "owner"))
    assert made.state is state, made.reason
    assert not made.edits
