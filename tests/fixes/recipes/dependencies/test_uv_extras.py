"""An extra of the project that `uv run` starts a command with."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
FILE = PipInstall(module="{module}")
EXTRAS = 'gpu = ["torch[x]"]\ntorch = ["torch>=2", "a", "b", "c", "d"]\nserve = ["rich"]\n'


def job(run: str, extras: str = EXTRAS, **files: str) -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    defaults: {{run: {{working-directory: sub}}}}\n    steps:\n      - name: Test\n        run: {run}\n"
    project = f'[project]\nname = "kit"\ndependencies = []\n[project.optional-dependencies]\n{extras}'
    return tree({CI: ci, "sub/pyproject.toml": project, **{f"sub/{key}": text for key, text in files.items()}})


def test_the_extra_that_is_called_after_it_comes_with_the_command() -> None:
    there = job("uv run --extra serve pytest tests")
    proved = patch(FILE, "test", CI, step="Test", captures={"module": "torch"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == "+run: uv run --extra serve --extra torch pytest tests"


@pytest.mark.parametrize(
    "there",
    [
        job("uv run --extra torch pytest tests"),
        job("uv run pytest tests", extras='serve = ["rich"]\n'),
        job("cd ../other && uv run pytest tests"),
    ],
    ids=["chosen", "no-extra", "another-folder"],
)
def test_near_misses_change_nothing(there: MemoryTree) -> None:
    assert not draft(FILE, "test", CI, step="Test", captures={"module": "torch"}, repository=there).edits
