from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow(file="{file}")
OWN = ".github/workflows/own.yml"
RUN = "jobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n"


def calling(used: str, files: dict[str, str], given: str = "") -> MemoryTree:
    own = f"on: push\njobs:\n  train:\n    uses: {used}\n{given}"
    return tree({OWN: own, **{f".github/workflows/{name}": text for name, text in files.items()}})


CALLABLE = f"on: workflow_call\n{RUN}"


@pytest.mark.parametrize(
    ("used", "files", "meant"),
    [
        ("./.github/workflows/build_docs.yml", {"docs.yml": CALLABLE, "lint.yml": CALLABLE}, "docs.yml"),
        ("./.github/workflows/gpu.yml", {"gpu.yaml": CALLABLE}, "gpu.yaml"),
        ("./.github/workflows/test-gpus.yml", {"test-gpu.yml": CALLABLE, "docs.yml": CALLABLE}, "test-gpu.yml"),
        (".github/workflows/docs.yml", {"docs.yml": CALLABLE}, "docs.yml"),
        (".github/workflows/docs.yml@main", {"docs.yml": CALLABLE}, "docs.yml"),
    ],
)
def test_the_workflow_that_is_meant_is_called(used: str, files: dict[str, str], meant: str) -> None:
    made = patch(REPAIR, "train", OWN, repository=calling(used, files))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [f"-uses: {used}", f"+uses: ./.github/workflows/{meant}"]


@pytest.mark.parametrize(
    ("files", "given"),
    [
        # It cannot be called, it takes no such input, or two would do.
        ({"docs.yml": f"on: push\n{RUN}"}, ""),
        ({"docs.yml": CALLABLE}, "    with:\n      python: '3.12'\n"),
        ({"docs.yml": CALLABLE, "build.yml": CALLABLE}, ""),
        ({"wheel.yml": CALLABLE}, ""),
    ],
)
def test_another_workflow_is_not_called_instead(files: dict[str, str], given: str) -> None:
    there = calling("./.github/workflows/build_docs.yml", files, given)
    assert draft(REPAIR, "train", OWN, repository=there).state is PatchState.REFUSED


INPUT = "on:\n  workflow_call:\n    inputs:\n      group:\n        {0}\n"


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("require: true\n        type: string", ["-require: true", "+required: true"]),
        ("required: true\n        desription: a\n        type: string", ["-desription: a", "+description: a"]),
        ("required: true", ["+type: string"]),
        ("default: 4", ["+type: number"]),
        ("default: false", ["+type: boolean"]),
        ("default: '4'", ["+type: string"]),
    ],
)
def test_what_is_wrong_in_the_workflow_that_is_called(written: str, lines: list[str]) -> None:
    there = calling(
        "./.github/workflows/gpu.yml", {"gpu.yml": INPUT.format(written) + RUN}, "    with:\n      group: a\n"
    )
    made = patch(REPAIR, "train", OWN, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == lines
    assert made.files == (".github/workflows/gpu.yml",)
