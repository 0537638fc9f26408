"""The repository's own project where a job imports it, and lists that one more requirement joins."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
DOCS = ".github/workflows/docs.yml"
FILE = PipInstall(module="{module}")
PROJECT = {"pyproject.toml": '[project]\nname = "train-kit"\n', "train_kit/__init__.py": ""}
SIBLING = "on: push\njobs:\n  unit:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -U -e .[dev]\n      - run: pip install -e .\n"


def docs(install: str, run: str = "quartodoc build", sibling: str = SIBLING) -> MemoryTree:
    job = f"on: push\njobs:\n  docs:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {install}\n      - name: Build\n        run: {run}\n"
    return tree({CI: sibling, DOCS: job, **PROJECT})


def test_the_own_project_is_installed_as_siblings_install_it() -> None:
    there = docs("pip install quartodoc")
    proved = patch(FILE, "docs", DOCS, step="Build", captures={"module": "train_kit"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "pip install -e ." in proved.diff
    assert "[dev]" not in proved.diff


@pytest.mark.parametrize(
    ("install", "line"),
    [
        ("pip install -r requirements-tests.txt", "+pip install -e ."),
        ("uv pip install --system pytest", "+uv pip install --system -e ."),
        ("python -m pip install --break-system-packages pytest==8.2",
         "+python -m pip install --break-system-packages -e ."),
    ],
)  # fmt: skip
def test_what_stands_below_src_is_installed_though_no_sibling_does(install: str, line: str) -> None:
    job = f"on: push\njobs:\n  unit:\n    runs-on: gpu-8\n    steps:\n      - run: {install}\n      - name: Test\n        run: pytest tests\n"
    files = {CI: job, "src/train_kit/__init__.py": "", "requirements-tests.txt": "pytest\n"}
    setup = 'from setuptools import setup\nsetup(\n    name="train-kit",\n)\n'
    other = {"pyproject.toml": '[project]\nname = "kit-for-training"\n'}  # than the package that it builds
    for own in ({"pyproject.toml": PROJECT["pyproject.toml"]}, {"setup.py": setup}, other):
        found = patch(
            FILE, "unit", CI, step="Test", captures={"module": "train_kit"}, repository=tree({**files, **own})
        )
        assert (found.state, found.reason, changed(found)[-1]) == (PatchState.PATCH, "", line)
    flat = {**files, **PROJECT}
    tools = {**files, "pyproject.toml": "[tool.ruff]\n"}
    assert not draft(FILE, "unit", CI, step="Test", captures={"module": "train_kit"}, repository=tree(tools)).edits
    assert not draft(FILE, "unit", CI, step="Test", captures={"module": "train_kit"}, repository=tree(flat)).edits


@pytest.mark.parametrize(
    "there",
    [
        docs("pip install quartodoc", run="PYTHONPATH=. quartodoc build"),
        docs("pip install quartodoc", sibling="on: push\njobs: {}\n"),
        docs("pip install -e ."),
        docs("make setup"),
    ],
    ids=["path", "no-sibling", "installed", "nothing-installed"],
)
def test_near_misses_change_nothing(there: MemoryTree) -> None:
    found = draft(FILE, "docs", DOCS, step="Build", captures={"module": "train_kit"}, repository=there)
    assert not found.edits


ENVIRONMENT = (
    "name: test\ndependencies:\n  - python=3.10\n  - pip\n  - pip:\n    - pytest\n    - pytest-cov\n    - numpy\n"
)
SETUP = 'here="$( cd "$( dirname "${BASH_SOURCE[0]}" )" && pwd )"\nconda env update --file "${here}/environment.yml"\n'


def conda(environment: str = ENVIRONMENT) -> MemoryTree:
    job = "on: push\njobs:\n  unit:\n    runs-on: gpu-8\n    steps:\n      - run: |\n          bash ci/setup.sh\n          pip install torch\n      - name: Test\n        run: pytest\n"
    return tree({CI: job, "ci/setup.sh": SETUP, "ci/environment.yml": environment})


def test_a_requirement_joins_what_an_environment_file_hands_to_pip() -> None:
    proved = patch(FILE, "unit", CI, step="Test", captures={"module": "cv2"}, repository=conda())
    assert proved.state is PatchState.PATCH, proved.reason
    assert (proved.files, changed(proved)) == (("ci/environment.yml",), ["+- opencv-python"])
    there = conda(ENVIRONMENT + "    - opencv-python\n")
    assert (
        draft(FILE, "unit", CI, step="Test", captures={"module": "cv2"}, repository=there).state is PatchState.IN_PLACE
    )


def test_a_short_list_of_an_environment_is_no_place() -> None:
    there = conda("name: test\ndependencies:\n  - python=3.10\n  - pip:\n    - pytest\n")
    proved = patch(FILE, "unit", CI, step="Test", captures={"module": "cv2"}, repository=there)
    assert proved.files == (CI,)


def test_an_image_gets_what_its_build_needs_with_the_rest_of_that() -> None:
    docker = "FROM a\nCOPY requirements-build.txt /b.txt\nRUN pip install -r /b.txt\nCOPY . /src\nRUN python3 /src/setup.py bdist_wheel\n"
    job = "on: push\njobs:\n  image:\n    runs-on: ubuntu-latest\n    steps:\n      - run: docker build .\n"
    there = tree({CI: job, "Dockerfile": docker, "requirements-build.txt": "ninja\nwheel\n"})
    facts = Facts(build=BuildStep("Dockerfile", {5: "RUN python3 /src/setup.py bdist_wheel"}))
    proved = patch(FILE, "image", CI, facts=facts, captures={"module": "cv2"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert (proved.files, changed(proved)) == (("requirements-build.txt",), ["+opencv-python"])


@pytest.mark.parametrize("install", ["pip install quartodoc", "pip install torch quartodoc"])
def test_without_torch_there_is_nothing_to_build_with_outside_of_isolation(install: str) -> None:
    sibling = SIBLING.replace("pip install -e .", "pip install --no-build-isolation -e .")
    there = docs(install, sibling=sibling)
    proved = patch(FILE, "docs", DOCS, step="Build", captures={"module": "train_kit"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert ("--no-build-isolation" in proved.diff) is ("torch" in install)
