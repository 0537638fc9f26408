"""Files of a package that its wheel leaves out."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from triage.fixes.recipes.builds.package_data import ship_files
from triage.fixes.recipes.outcome import Edited
from triage.fixes.refusal import Refusal

PROJECT = '[project]\nname = "train"\n\n[tool.setuptools]\nzip-safe = false\n'
AT = "/opt/venv/lib/python3.12/site-packages/train/"


def repository(project: str = PROJECT, below: str = "", **files: str) -> MemoryTree:
    held = {"train/__init__.py": "", "train/config/base.yaml": "a: 1\n", **files}
    return tree({f"{below}pyproject.toml": project, **{f"{below}{path}": text for path, text in held.items()}})


@pytest.mark.parametrize(
    ("installed", "line"),
    [
        ("config", 'train = ["config/**"]'),
        ("config/base.yaml", 'train = ["config/*.yaml"]'),
        ("config/", 'train = ["config/**"]'),
    ],
)
@pytest.mark.parametrize("below", ["", "packages/train-core/"])
def test_the_files_are_named_in_the_project_that_has_them(installed: str, line: str, below: str) -> None:
    made = ship_files(repository(below=below), "", {"installed": AT + installed})
    assert isinstance(made, Edited), made
    assert made.edits[0].path == f"{below}pyproject.toml"
    assert made.edits[0].new.decode() == f"\n\n[tool.setuptools.package-data]\n{line}"


def test_below_src_the_project_stands_above_it() -> None:
    held = tree({"pyproject.toml": PROJECT, "src/train/__init__.py": "", "src/train/prompts/a.jinja": ""})
    made = ship_files(held, "", {"installed": AT.replace("site", "dist") + "prompts/a.jinja"})
    assert isinstance(made, Edited)
    assert b'train = ["prompts/*.jinja"]' in made.edits[0].new


def test_it_stands_behind_the_other_tables_of_setuptools() -> None:
    made = ship_files(repository(f"{PROJECT}\n[tool.other]\na = 1\n"), "", {"installed": f"{AT}config"})
    assert isinstance(made, Edited)
    assert made.edits[0].start == len(PROJECT.rstrip())


@pytest.mark.parametrize(
    ("held", "installed"),
    [
        (repository(), f"{AT}other"),  # the tree has no such files
        (repository(), "/opt/train/config"),  # nothing is installed there
        (repository(), f"{AT}../config"),
        (repository(PROJECT + '[tool.setuptools.package-data]\ntrain = ["a"]\n'), f"{AT}config"),
        (repository(PROJECT + "include-package-data = false\n"), f"{AT}config"),
        (repository('[build-system]\nbuild-backend = "hatchling.build"\n' + PROJECT), f"{AT}config"),
        (repository("[tool.ruff]\n"), f"{AT}config"),
        (repository(**{"old/train/config/base.yaml": ""}), f"{AT}config"),  # of two packages of the name
        (tree({"train/config/base.yaml": "", "pyproject.toml": PROJECT}), f"{AT}config"),  # no package
    ],
)
def test_what_is_not_the_project_s_own_to_ship_is_refused(held: MemoryTree, installed: str) -> None:
    assert isinstance(ship_files(held, "", {"installed": installed}), Refusal)
