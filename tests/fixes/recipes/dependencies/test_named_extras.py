"""An error that names an extra of the repository's own project chooses it where the job installs the project."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipInstall

PATH = ".github/workflows/unit.yml"
PROJECT = (
    '[project]\nname = "task-lib"\n[project.optional-dependencies]\nmath = ["sympy", "antlr4"]\ndev = ["pytest"]\n'
)
SETUP = (
    'from setuptools import setup\nsetup(name="task-lib",\n    extras_require={"math": ["sympy"], "dev": ["pytest"]})\n'
)


def made(files: dict[str, str], install: str, extra: str = "math", module: str = "task_lib") -> Patch:
    job = f"on: push\njobs:\n  unit:\n    runs-on: gpu\n    steps:\n      - run: {install}\n      - run: pytest tests\n"
    files = {PATH: job, "task_lib/__init__.py": "", **files}
    captures = {"module": module, "extra": extra}
    return patch(PipInstall(module="{module}"), "unit", PATH, captures=captures, repository=tree(files))


@pytest.mark.parametrize("files", [{"pyproject.toml": PROJECT}, {"setup.py": SETUP}])
@pytest.mark.parametrize(
    ("install", "line"),
    [
        ("pip install -e '.[dev]' --extra-index-url x", "+- run: pip install -e '.[dev,math]' --extra-index-url x"),
        ("uv pip install --system .", "+- run: uv pip install --system '.[math]'"),
    ],
)
@pytest.mark.parametrize("module", ["task_lib", "task-lib"])
def test_the_extra_joins_those_that_the_job_chooses(
    files: dict[str, str], install: str, line: str, module: str
) -> None:
    found = made(files, install, module=module)
    assert (found.state, found.reason) == (PatchState.PATCH, "")
    assert changed(found)[-1].replace('"', "'") == line


def test_uv_syncs_with_it() -> None:
    found = made({"pyproject.toml": PROJECT}, "uv sync --extra dev")
    assert changed(found)[-1] == "+- run: uv sync --extra math --extra dev"


@pytest.mark.parametrize(
    ("install", "extra", "module"),
    [
        ("pip install -e .[math]", "math", "task_lib"),
        ("pip install -e .[dev]", "music", "task_lib"),
        ("pip install -e .[dev]", "math", "transformers"),
        ("pip install -r requirements.txt", "math", "task_lib"),
    ],
)
def test_what_is_chosen_unknown_foreign_or_not_installed_so_is_left(install: str, extra: str, module: str) -> None:
    assert made({"pyproject.toml": PROJECT}, install, extra, module).state is not PatchState.PATCH
