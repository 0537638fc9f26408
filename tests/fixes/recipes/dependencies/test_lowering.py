"""A lower bound beyond what the job's Python can have goes down, where the project says that it is for that Python."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import PipRelease

CI = ".github/workflows/ci.yml"
RELEASE = PipRelease("{requirement}", "{listed}", "{excluded}")
EXCLUDED = "2.1.0 Requires-Python >=3.9; 2.1.0rc0 Requires-Python >=3.9; 2.2.2 Requires-Python >=3.9"
TOLD = {"requirement": "tables>=2.2.2", "listed": "0.1, 1.5.3, 2.0.0rc1, 2.0.3, 2.0.2", "excluded": EXCLUDED}
SETUP = (
    "from setuptools import setup\nsetup(name='train', python_requires='>=3.8.0', install_requires=['tables>=2.2.2'])\n"
)
PROJECT = '[project]\nname = "train"\nrequires-python = ">=3.8"\n'


def repository(command: str, **files: str) -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: {command}\n"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **named}.items()})


@pytest.mark.parametrize(
    ("made", "path", "line"),
    [
        (repository("pip install .", setup_dot_py=SETUP), "setup.py", "tables>=2.0.3"),
        (
            repository(
                "pip install '.[io]'",
                pyproject_dot_toml=PROJECT + '[project.optional-dependencies]\nio = ["tables>=2.2.2,<3"]\n',
            ),
            "pyproject.toml",
            "tables>=2.0.3,<3",
        ),
        (
            repository("pip install -r dev.txt", dev_dot_txt="torch\ntables>=2.2.2\n", pyproject_dot_toml=PROJECT),
            "dev.txt",
            "tables>=2.0.3",
        ),
    ],
    ids=["setup", "extra", "list"],
)
def test_the_bound_goes_down_to_what_this_python_can_have(made: MemoryTree, path: str, line: str) -> None:
    # pip sorts bounds its own way.
    told = {**TOLD, "requirement": "tables<3,>=2.2.2"} if ",<3" in line else TOLD
    proved = patch(RELEASE, "test", CI, captures=told, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (path,)
    assert line in changed(proved)[-1]


def test_a_project_for_newer_pythons_alone_is_run_by_the_wrong_one() -> None:
    newer = repository("pip install .", setup_dot_py=SETUP.replace("3.8.0", "3.10"))
    found = draft(RELEASE, "test", CI, captures=TOLD, repository=newer)
    assert found.state is PatchState.ADVICE
    assert "Python 3.9" in found.reason


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        (SETUP.replace("tables>=2.2.2", "tables"), TOLD),  # somebody else's bound
        (SETUP, {**TOLD, "excluded": "1.0 Requires-Python >=3.9"}),  # no release that meets it is left out for that
        (SETUP, {**TOLD, "listed": ""}),
    ],
)
def test_nothing_is_lowered_without_all_that_speaks_for_it(setup: str, told: dict[str, str]) -> None:
    assert not draft(
        RELEASE, "test", CI, captures=told, repository=repository("pip install .", setup_dot_py=setup)
    ).edits


def test_a_bound_for_newer_pythons_alone_stays() -> None:
    lines = "tables>=2.2.2 ; python_version >= '3.9'\ntables>=2.2.2 ; python_version < '3.9'\n"
    made = repository("pip install -r dev.txt", dev_dot_txt=lines, pyproject_dot_toml=PROJECT)
    proved = patch(RELEASE, "test", CI, captures=TOLD, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-tables>=2.2.2 ; python_version < '3.9'", "+tables>=2.0.3 ; python_version < '3.9'"]
