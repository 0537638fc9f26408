"""A project that a job installs without what it requires, and what a test needs as the package that it tests does."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MISSING = PipInstall(module="{module}", form="file")
SETUP = 'from setuptools import setup\nsetup(name="trainlib", install_requires=["numpy", "rich"])\n'
WORKED_OUT = (
    'from setuptools import setup\nneeds = [f"numpy=={release()}"]\nsetup(name="trainlib", install_requires=needs)\n'
)
PACKAGE = {"src/trainlib/__init__.py": "from trainlib import data\n", "src/trainlib/data.py": "import numpy\n"}
INNER = "/home/runner/work/trainlib/trainlib/src/trainlib/data.py"


def made(
    files: dict[str, str], *commands: str, module: str = "numpy", on: str = "ubuntu-latest", frame: str = INNER
) -> Patch:
    steps = "".join(f"      - run: {command}\n" for command in commands)
    job = f"on: push\njobs:\n  docs:\n    runs-on: {on}\n    steps:\n{steps}"
    facts = Facts(frames=(frame,))
    return patch(MISSING, "docs", CI, captures={"module": module}, facts=facts, repository=tree({CI: job, **files}))


@pytest.mark.parametrize(
    ("setup", "command", "written"),
    [
        (SETUP, "pip install -e . --no-deps", "pip install -e ."),
        (WORKED_OUT, "python -m pip install --no-deps .", "python -m pip install ."),
        (SETUP, "uv pip install --system --no-deps -e .", "uv pip install --system -e ."),
    ],
)
def test_the_project_is_installed_with_what_it_requires(setup: str, command: str, written: str) -> None:
    found = made({**PACKAGE, "setup.py": setup}, "pip install sphinx", command, "sphinx-build docs out")
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [f"-- run: {command}", f"+- run: {written}"]


@pytest.mark.parametrize(
    ("files", "commands", "on"),
    [
        ({"setup.py": SETUP}, ("pip install -e . --no-deps", "make"), "[self-hosted, gpu]"),  # its image may have them
        ({"setup.py": SETUP, "requirements.txt": "rich\n"}, ("pip install -r requirements.txt", "pip install --no-deps .",
                                                              "make"), "ubuntu-latest"),
        ({"setup.py": SETUP.replace("numpy", "pandas")}, ("pip install -e . --no-deps", "make"), "ubuntu-latest"),
    ],
)  # fmt: skip
def test_where_something_else_may_bring_them_the_switch_stays(
    files: dict[str, str], commands: tuple[str, ...], on: str
) -> None:
    found = made({**PACKAGE, **files}, *commands, on=on)
    assert not any("--no-deps" in line and line.startswith("-") for line in changed(found))


def test_what_an_extra_alone_brings_is_no_matter_of_the_switch() -> None:
    setup = SETUP.replace('"numpy", "rich"])', '"rich"], extras_require={"arrays": ["numpy"]})')
    found = made({**PACKAGE, "setup.py": setup}, "pip install --no-deps -e .", "make")
    assert not any("--no-deps" in line and line.startswith("-") for line in changed(found))


def test_a_project_installed_whole_that_works_the_release_out_requires_it() -> None:
    found = made({**PACKAGE, "setup.py": WORKED_OUT}, "pip install -e .", "make")
    assert (found.state, "requires numpy" in found.reason) == (PatchState.IN_PLACE, True)


USED = {
    "trainlib/__init__.py": "",
    "trainlib/remote.py": "def ask():\n    import cv2\n",
    "tests/test_remote.py": "import cv2\n",
}
TEST = "/home/runner/work/trainlib/trainlib/tests/test_remote.py"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"setup.py": SETUP.replace("rich", "pytest")}, "setup.py"),
        ({"setup.py": SETUP}, "setup.py"),
        ({"pyproject.toml": '[project]\nname = "trainlib"\ndependencies = [\n    "pytest",\n]\n'}, "pyproject.toml"),
        # An extra may be the place, and what no package imports is the tests' own.
        ({"setup.py": SETUP.replace("])", '], extras_require={"serve": ["flask"]})')}, CI),
        ({"setup.py": SETUP, "trainlib/remote.py": ""}, CI),
    ],
)
def test_what_the_tested_package_imports_too_is_required_by_it(files: dict[str, str], path: str) -> None:
    found = made({**USED, **files}, "pip install flake8", "pip install -e .", "pytest tests", module="cv2", frame=TEST)
    assert (found.state, found.files) == (PatchState.PATCH, (path,)), found.reason


@pytest.mark.parametrize(
    ("installed", "imported", "state"),
    [
        ({"sphinx": "8"}, "rich", PatchState.PATCH),
        ({"rich": "1"}, "rich", PatchState.ADVICE),
        ({}, "os", PatchState.ADVICE),
    ],
)
def test_what_comes_with_a_requirement_is_installed_with_all_of_them(
    installed: dict[str, str], imported: str, state: PatchState
) -> None:
    files = {**PACKAGE, "src/trainlib/data.py": f"import {imported}\nimport markdown_it\n", "setup.py": SETUP}
    facts = Facts(frames=(INNER,), installed=installed, commands=("pip install -e . --no-deps",))
    job = "on: push\njobs:\n  docs:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -e . --no-deps\n      - run: make\n"
    repository = tree({CI: job, **files})
    found = patch(MISSING, "docs", CI, captures={"module": "markdown_it"}, facts=facts, repository=repository)
    assert (found.state, "--no-deps" in found.diff) == (state, state is PatchState.PATCH), found.reason


def test_a_log_that_lists_little_of_what_was_installed_does_not_say_that_it_is_in_place() -> None:
    files = {**PACKAGE, "src/trainlib/data.py": "import rich\nimport markdown_it\n", "setup.py": SETUP}
    steps = "      - run: pip install -e .\n      - run: make\n"
    job = f"on: push\njobs:\n  docs:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    facts = Facts(frames=(INNER,), installed={"trainlib": "1"}, commands=("pip install -e .",))
    found = patch(
        MISSING, "docs", CI, captures={"module": "markdown_it"}, facts=facts, repository=tree({CI: job, **files})
    )
    assert found.state is not PatchState.IN_PLACE
