"""Two extras that nobody can install together, where uv resolves them at once."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipWiden

CI = ".github/workflows/ci.yml"
WIDEN = PipWiden(distribution="{distribution}", bounds="{bounds}", held="{held}", other="{other}")
PINS = {"distribution": "tables", "bounds": "==2.1", "held": "==1.4", "other": "tables"}
SETUP = 'from setuptools import setup\nsetup(name="t", extras_require={"serve_x": ["tables==2.1"], "tune": ["rich", "tables==1.4"]})\n'
EXTRAS = '[project]\nname = "t"\n[project.optional-dependencies]\nserve = ["tables==2.1"]\ntune = ["tables==1.4"]\n\n'
ALWAYS = EXTRAS.replace('name = "t"\n', 'name = "t"\ndependencies = ["tables==2.1"]\n').replace(
    'serve = ["tables==2.1"]\n', ""
)
OTHERS = '[tool.uv]\nconflicts = [\n    [\n        { extra = "npu" },\n        { extra = "serve" },\n    ]\n]\n'


def made(files: dict[str, str], command: str = "uv sync --extra serve", captures: dict[str, str] = PINS) -> Patch:
    job = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {command}\n"
    held = {CI: job, **files} if command else files
    where = ("test", CI) if command else ("", "")
    return patch(WIDEN, *where, captures=captures, facts=Facts(), repository=tree(held))


@pytest.mark.parametrize(
    ("files", "command", "lines"),
    [
        (
            {"setup.py": SETUP, "pyproject.toml": OTHERS},
            "",
            ["+],", "+[", '+{ extra = "serve_x" },', '+{ extra = "tune" },'],
        ),
        (
            {"pyproject.toml": EXTRAS + '[tool.uv]\nindex-strategy = "first-index"\n'},
            "uv sync --extra serve",
            ['+conflicts = [[{ extra = "serve" }, { extra = "tune" }]]'],
        ),
        (
            {"pyproject.toml": EXTRAS + '[tool.uv]\nconflicts = [[{ extra = "a" }, { extra = "b" }]]\n'},
            "uv run --extra tune python train.py",
            [
                '-conflicts = [[{ extra = "a" }, { extra = "b" }]]',
                '+conflicts = [[{ extra = "a" }, { extra = "b" }], [{ extra = "serve" }, { extra = "tune" }]]',
            ],
        ),
    ],
)
def test_uv_is_told_of_it(files: dict[str, str], command: str, lines: list[str]) -> None:
    found = made(files, command)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == lines


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pyproject.toml": EXTRAS + OTHERS}, "uv sync --extra serve --extra tune"),
        ({"pyproject.toml": EXTRAS + OTHERS}, "uv sync --all-extras"),
        ({"pyproject.toml": ALWAYS + OTHERS}, "uv sync --extra tune"),
        ({"pyproject.toml": EXTRAS}, "uv sync --extra tune"),
    ],
)
def test_what_is_installed_together_is_no_conflict_to_declare(files: dict[str, str], command: str) -> None:
    assert "conflicts" not in "".join(line for line in changed(made(files, command)) if line.startswith("+"))


def test_bounds_that_may_be_moved_are_no_exact_pins() -> None:
    found = made({"pyproject.toml": EXTRAS + OTHERS}, captures={**PINS, "held": "<2"})
    assert not any("extra" in line for line in changed(found))
