"""The torch of an isolated build, at the release that is installed and for the compiler's CUDA."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import HoldBuild

CI = ".github/workflows/ci.yml"
RECIPE = HoldBuild("{toolkit}")


def job(requires: str, run: str = "pip install -e .", folder: str = "") -> MemoryTree:
    flow = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n      - run: {run}\n"
    return tree({CI: flow, f"{folder}pyproject.toml": f"[build-system]\nrequires = [{requires}]\n"})


def made(repository: MemoryTree, torch: str, toolkit: str = "12.4", workflow: str = CI) -> Patch:
    known = Facts(installed={"torch": torch} if torch else {})
    named = "test" if workflow else ""
    return patch(RECIPE, named, workflow, facts=known, captures={"toolkit": toolkit}, repository=repository)


@pytest.mark.parametrize(
    ("repository", "torch", "toolkit", "line"),
    [
        (job('"setuptools", "torch"'), "2.5.1+cu124", "12.4", '+requires = ["setuptools", "torch==2.5.1"]'),
        (job("'torch >= 2.0', 'ninja'"), "2.0.1+cu118", "11.8", "+requires = ['torch == 2.0.1', 'ninja']"),
        (job('"torch>=2.4,<3"', "uv pip install ./ops", "ops/"), "2.9.1", "12.8", '+requires = ["torch==2.9.1"]'),
    ],
)
def test_the_build_takes_the_release_that_is_installed(
    repository: MemoryTree, torch: str, toolkit: str, line: str
) -> None:
    found = made(repository, torch, toolkit)
    assert (found.state, found.reason) == (PatchState.PATCH, "")
    assert changed(found)[-1] == line


@pytest.mark.parametrize(
    ("repository", "torch", "toolkit"),
    [
        # The public index has 2.1 for CUDA 12 alone.
        (job('"torch"'), "2.1.0+cu118", "11.8"),
        (job('"torch"'), "2.5.1+cu124", "11.8"),
        (job('"torch"'), "", "12.4"),
        (job('"torch"'), "2.8.0.dev20250601+cu128", "12.8"),
        (job('"torch==2.4.0"'), "2.5.1+cu124", "12.4"),
        (job('"setuptools"'), "2.5.1+cu124", "12.4"),
    ],
)
def test_where_that_does_not_fit_nothing_is_changed(repository: MemoryTree, torch: str, toolkit: str) -> None:
    assert made(repository, torch, toolkit).state is not PatchState.PATCH
