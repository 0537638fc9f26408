"""What a package imports whenever it is imported, and only an extra names."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import OwnRequirement

CI = ".github/workflows/ci.yml"
OWN = OwnRequirement("{module}", "{importer}")
PROJECT = '[project]\nname = "train"\ndependencies = ["torch"]\n[project.optional-dependencies]\ntest = ["tables>=1.2", "pytest"]\n'
SETUP = (
    "from setuptools import setup\nREQUIRED = [\n    'torch',\n]\nEXTRAS = {'test': ['tables', 'pytest']}\n"
    "setup(name='train', install_requires=REQUIRED, extras_require=EXTRAS)\n"
)
PACKAGE = {
    "train/__init__.py": "from .core import Trainer\n",
    "train/core/__init__.py": "from .data import load\n",
    "train/core/data.py": "import os\nimport tables\n",
}
CAPTURES = {"module": "tables", "importer": "/opt/env/lib/python3.9/site-packages/train/core/data.py"}


def repository(files: dict[str, str], command: str = "pip install .") -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: [cpu]\n    steps:\n      - run: {command}\n      - run: python -c 'import train'\n"
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **files}.items()})


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"pyproject.toml": PROJECT, **PACKAGE}, '+dependencies = ["torch", "tables>=1.2"]'),
        ({"setup.py": SETUP, **PACKAGE}, "+'tables',"),
        (
            {"pyproject.toml": PROJECT, **{f"src/{path}": text for path, text in PACKAGE.items()}},
            '+dependencies = ["torch", "tables>=1.2"]',
        ),
    ],
)
def test_it_is_required_always(files: dict[str, str], line: str) -> None:
    proved = patch(OWN, "test", CI, repository=repository(files), captures=CAPTURES)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


BUILDS = '[build-system]\nrequires = ["setuptools", "cv2-build", "opencv-python>=4.8"]\n'
VISION = {**PACKAGE, "train/core/data.py": "import cv2\n"}


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"pyproject.toml": BUILDS, "setup.py": SETUP}, "+'opencv-python>=4.8',"),
        ({"pyproject.toml": PROJECT + BUILDS}, '+dependencies = ["torch", "opencv-python>=4.8"]'),
        ({"setup.py": SETUP}, "+'opencv-python',"),
    ],
    ids=["built-with", "built-with-pyproject", "by-the-table"],
)
def test_what_a_project_is_built_with_is_not_there_when_it_runs(files: dict[str, str], line: str) -> None:
    captures = {**CAPTURES, "module": "cv2"}
    proved = patch(OWN, "test", CI, repository=repository({**files, **VISION}), captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


@pytest.mark.parametrize(
    ("files", "command", "captures"),
    [
        ({"pyproject.toml": PROJECT, **PACKAGE, "train/__init__.py": "x = 1\n"}, "pip install .", CAPTURES),
        (
            {
                "pyproject.toml": PROJECT,
                **PACKAGE,
                "train/core/data.py": "try:\n    import tables\nexcept ImportError:\n    pass\n",
            },
            "pip install .",
            CAPTURES,
        ),
        ({"pyproject.toml": PROJECT, **PACKAGE}, "pip install --no-deps .", CAPTURES),
        ({"pyproject.toml": PROJECT, **PACKAGE}, "pip install rich", CAPTURES),
        (
            {"pyproject.toml": '[project]\nname = "train"\ndependencies = ["torch"]\n', **PACKAGE},
            "pip install .",
            CAPTURES,
        ),
        ({"pyproject.toml": PROJECT.replace('"torch"', '"torch", "tables"'), **PACKAGE}, "pip install .", CAPTURES),
        (
            {"pyproject.toml": PROJECT, **PACKAGE},
            "pip install .",
            {**CAPTURES, "importer": "/opt/env/lib/python3.9/site-packages/other/core.py"},
        ),
        (
            {"pyproject.toml": PROJECT, **PACKAGE, "tests/test_data.py": "import tables\n"},
            "pip install .",
            {**CAPTURES, "importer": "tests/test_data.py"},
        ),
        ({"pyproject.toml": PROJECT, **PACKAGE}, "pip install .", {"module": "tables"}),
    ],
    ids=["not-reached", "guarded", "no-deps", "not-installed", "unnamed", "required", "foreign", "test", "no-file"],
)
def test_near_misses_change_nothing(files: dict[str, str], command: str, captures: dict[str, str]) -> None:
    found = draft(OWN, "test", CI, repository=repository(files, command), captures=captures)
    assert found.state in (PatchState.REFUSED, PatchState.IN_PLACE)
    assert not found.edits


def test_a_log_that_names_no_importing_file_is_not_said_to_name_a_foreign_one() -> None:
    files = {"pyproject.toml": PROJECT, **PACKAGE}
    found = draft(OWN, "test", CI, repository=repository(files, "pip install ."), captures={"module": "tables"})
    assert found.reason == "which file imports it is not said where the log names the missing module"
