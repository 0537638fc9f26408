"""Jobs on a Python that the project refuses."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import FitPython

CI = ".github/workflows/ci.yml"
FIT = FitPython("{python}", "{wanted}")
OLD = {"python": "3.9.19", "wanted": ">=3.10"}


def repository(python: str = '"3.9"', sibling: str = "'3.12'", more: str = "", env: str = "") -> MemoryTree:
    def job(version: str, rest: str = "") -> str:
        setup = f"      - uses: actions/setup-python@v5\n        with:\n          python-version: {version}\n"
        return f"    runs-on: ubuntu-latest\n{rest}    steps:\n{setup}      - run: pip install .\n"

    text = f"on: push\n{env}jobs:\n  test:\n{job(python, more)}"
    return MemoryTree({CI: f"{text}  lint:\n{job(sibling)}".encode()})


@pytest.mark.parametrize(
    ("tree", "captures", "line"),
    [
        (repository(), OLD, '+python-version: "3.12"'),
        (repository("3.9"), OLD, '+python-version: "3.12"'),
        (repository(sibling='"3.8"'), OLD, '+python-version: "3.10"'),
        (repository("'3.13'", "'3.14'"), {"python": "3.13.1", "wanted": ">=3.9,<3.13"}, "+python-version: '3.9'"),
        (
            repository("${{ matrix.python }}", more="    strategy:\n      matrix:\n        python: ['3.9']\n"),
            OLD,
            "+python: ['3.12']",
        ),
        (repository("${{ env.PY }}", env="env:\n  PY: '3.9'\n"), OLD, "+PY: '3.12'"),
    ],
    ids=["sibling", "unquoted", "oldest", "too-new", "matrix", "variable"],
)
def test_the_job_runs_on_a_python_that_fits(tree: MemoryTree, captures: dict[str, str], line: str) -> None:
    proved = patch(FIT, "test", CI, repository=tree, captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


@pytest.mark.parametrize(
    ("tree", "captures", "words"),
    [
        (repository("'3.11'"), OLD, "look elsewhere"),
        (repository("3"), OLD, "asks for Python 3.9.19"),
        (repository(), {"wanted": ">=3.10"}, "does not say which"),
        (
            repository("${{ matrix.python }}", more="    strategy:\n      matrix:\n        python: ['3.9', '3.11']\n"),
            OLD,
            "leave 3.9 out of",
        ),
    ],
    ids=["another", "loose", "unsaid", "one-of-several"],
)
def test_near_misses_change_nothing(tree: MemoryTree, captures: dict[str, str], words: str) -> None:
    found = draft(FIT, "test", CI, repository=tree, captures=captures)
    assert not found.edits
    assert words in found.reason


def commands(*lines: str, env: str = "", more: str = "", matrix: str = "") -> MemoryTree:
    script = "".join(f"          {line}\n" for line in lines)
    job = f"    runs-on: gpu\n{env}{matrix}    steps:\n      - run: |\n{script}"
    return MemoryTree({CI: f"on: push\njobs:\n  test:\n{job}{more}".encode()})


@pytest.mark.parametrize(
    ("tree", "line"),
    [
        (commands("conda create -y -p env python=3.9", "pip install ."), "+conda create -y -p env python=3.10"),
        (commands('export PY_VER="3.9"', 'conda create -p env python="$PY_VER"'), '+export PY_VER="3.10"'),
        (commands("uv venv --python 3.9 .venv", "uv pip install ."), "+uv venv --python 3.10 .venv"),
        (commands("pyenv local 3.9.19", "pip install ."), "+pyenv local 3.10"),
        (commands("bash ci/run.sh", env="    env:\n      PYTHON_VERSION: 3.9\n"), '+PYTHON_VERSION: "3.10"'),
        (
            commands("bash ci/run.sh", env="    env: {PYTHON_VERSION: '3.9'}\n",
                     more="  a:\n    runs-on: x\n    env: {PYTHON_VERSION: '3.12'}\n    steps: [{run: make}]\n"),
            "+env: {PYTHON_VERSION: '3.12'}",
        ),
    ],
    ids=["conda", "variable", "uv", "pyenv", "env", "sibling"],
)  # fmt: skip
def test_what_a_command_or_its_variable_asks_for_is_raised(tree: MemoryTree, line: str) -> None:
    proved = patch(FIT, "test", CI, repository=tree, captures=OLD)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


@pytest.mark.parametrize(
    "tree",
    [
        commands("conda create -p a python=3.9", "conda create -p b python=3.9"),
        commands("conda create -p a python=3.11", "pip install ."),
        commands("export TARGET=3.9", "make"),
        commands(
            "export PYTHON_VERSION=${{ matrix.py }}",
            "conda create -p a python=$PYTHON_VERSION",
            matrix="    strategy:\n      matrix:\n        py: ['3.9', '3.11']\n",
        ),
    ],
    ids=["two", "another", "unrelated", "matrix"],
)
def test_commands_that_do_not_say_which_python_ran_are_left(tree: MemoryTree) -> None:
    assert patch(FIT, "test", CI, repository=tree, captures=OLD).state is not PatchState.PATCH


def test_where_only_newer_ones_are_refused_it_is_the_newest_and_other_jobs_are_named() -> None:
    held = commands("uv venv --python $PY", env="    env:\n      PY: '3.13'\n")
    new = {"python": "3.13.1", "wanted": "<3.13"}
    assert "+PY: '3.12'" in changed(patch(FIT, "test", CI, repository=held, captures=new))
    shared = CI_OF_TWO
    found = patch(FIT, "test", CI, repository=MemoryTree({CI: shared.encode()}), captures=OLD)
    assert found.state is PatchState.PATCH, found.reason
    assert any("old" in line for line in found.blast_radius)


CI_OF_TWO = "on: push\nenv:\n  PY: '3.9'\njobs:\n" + "".join(
    f"  {name}:\n    runs-on: gpu\n    steps:\n      - run: uv venv --python $PY\n" for name in ("test", "old")
)
