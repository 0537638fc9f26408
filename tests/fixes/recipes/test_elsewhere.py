"""Poetry's tables are edited; conda's and pipenv's files are named with their line."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
PIN = PipPin("ray", "<{installed}")
FACTS = Facts(installed={"ray": "2.47.0"})
POETRY = """\
[tool.poetry]
name = "train"
[tool.poetry.dependencies]
python = "^3.11"
ray = "VERSION"
[tool.poetry.group.test.dependencies]
pytest = "*"
"""


def repository(step: str, **files: str) -> MemoryTree:
    workflow = (
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - {step}\n      - run: pytest\n"
    )
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: workflow, **named}.items()})


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("^2.9", '+ray = ">=2.9,<2.47.0"'),
        ("*", '+ray = "<2.47.0"'),
        (">=2.40", '+ray = ">=2.40,<2.47.0"'),
    ],
)
@pytest.mark.parametrize("command", ["poetry install", "pip install ."])
def test_a_version_of_poetry_is_bounded(version: str, line: str, command: str) -> None:
    tree = repository(f"run: {command}", pyproject_dot_toml=POETRY.replace("VERSION", version))
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


def test_the_lock_of_poetry_is_renewed_by_a_person() -> None:
    tree = repository("run: poetry install", pyproject_dot_toml=POETRY.replace("VERSION", "*"), poetry_dot_lock="")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.ADVICE
    assert "`poetry lock`" in proved.reason
    assert '+ray = "<2.47.0"' in proved.diff


@pytest.mark.parametrize("version", ["2.40.0", "~2.40", "^1.9"])
def test_what_poetry_holds_did_not_move(version: str) -> None:
    tree = repository("run: poetry install", pyproject_dot_toml=POETRY.replace("VERSION", version))
    assert not draft(PIN, "test", CI, facts=FACTS, repository=tree).edits


CONDA = "name: train\ndependencies:\n  - python=3.11\n  - pip:\n    - ray\n"


@pytest.mark.parametrize(
    ("step", "files", "place"),
    [
        ("run: conda env update -f environment.yml", {"environment_dot_yml": CONDA}, "environment.yml:5"),
        ("run: mamba env create", {"environment_dot_yml": CONDA}, "environment.yml:5"),
        (
            "uses: conda-incubator/setup-miniconda@v3\n        with: {environment-file: dev.yml}",
            {"dev_dot_yml": CONDA},
            "dev.yml:5",
        ),
        ("run: pipenv install", {"Pipfile": '[packages]\nray = "*"\n'}, "Pipfile:2"),
    ],
)
def test_other_files_are_named_with_their_line(step: str, files: dict[str, str], place: str) -> None:
    found = draft(PIN, "test", CI, facts=FACTS, repository=repository(step, **files))
    assert found.state is PatchState.ADVICE
    assert place in found.reason
    assert "<2.47.0" in found.reason
    assert not found.edits


@pytest.mark.parametrize(
    "step",
    [
        "run: pip install -c constraints.txt train",
        "run: pip install train\n        env: {PIP_CONSTRAINT: constraints.txt}",
        "run: UV_CONSTRAINT=constraints.txt uv pip install train",
    ],
)
def test_constraints_that_an_install_reads_are_a_place(step: str) -> None:
    tree = repository(step, constraints_dot_txt="ray>=2.9\n")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ray>=2.9", "+ray>=2.9,<2.47.0"]


def test_constraints_that_nothing_reads_are_none() -> None:
    tree = repository("run: pip install train", constraints_dot_txt="ray>=2.9\n")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.files == (CI,)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("uv run --with ray --with wheel pytest tests", '+- run: uv run --with "ray<2.47.0" --with wheel pytest tests'),
        ("uvx --with 'ray>=2' train", "+- run: uvx --with 'ray>=2,<2.47.0' train"),
    ],
)
def test_what_a_command_brings_for_itself(command: str, line: str) -> None:
    proved = patch(PIN, "test", CI, facts=FACTS, repository=repository(f"run: {command}"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]
