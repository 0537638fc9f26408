"""Plugins of pytest: which ones an option asks for, and where they are installed."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TABLES, changed, draft, patch
from triage.fixes.recipes.dependencies.plugins import plugins_of
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
PLUGIN = PipInstall(plugin="{argument}")
SIBLING = ".github/workflows/nightly.yml"


def repository(*commands: str, test: str = "pytest tests", **files: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, test))
    ci = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"
    named = {path.replace("_dot_", ".").replace("_in_", "/"): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **named}.items()})


def nightly(line: str) -> str:
    return f"on: push\njobs:\n  nightly:\n    runs-on: [gpu-8]\n    steps:\n      - run: {line}\n"


@pytest.mark.parametrize(
    ("argument", "names"),
    [
        ("--report-log=out.log", ["pytest-reportlog"]),
        ("--cov=train --cov-report term --report-log=a", ["pytest-cov", "pytest-reportlog"]),
        ("mocker", ["pytest-mock"]),
        ("pytest-mock, pytest_cov>=4", ["pytest-mock", "pytest-cov"]),
        ("--covering=train", []),
        ("--learning-rate 0.1", []),
        ("tiny_model", []),
    ],
)
def test_options_and_fixtures_are_looked_up_whole(argument: str, names: list[str]) -> None:
    assert plugins_of(argument, TABLES) == names


@pytest.mark.parametrize(
    ("commands", "argument", "line"),
    [
        (
            ["pip install pytest-xdist rich", "pip install pytest"],
            "--report-log=a",
            "pytest-xdist rich pytest-reportlog",
        ),
        (["pip install rich pytest"], "--report-log=a", "pip install rich pytest pytest-reportlog"),
        (["uv pip install pytest"], "--report-log=a", "uv pip install pytest pytest-reportlog"),
        (["pip install pytest"], "--cov=train --report-log=a", "pip install pytest pytest-cov pytest-reportlog"),
    ],
)
def test_a_plugin_that_a_sibling_installs_joins_the_others(commands: list[str], argument: str, line: str) -> None:
    sibling = nightly("pip install pytest-reportlog pytest-cov tabulate").encode()
    tree = MemoryTree({**repository(*commands).files, SIBLING: sibling})
    proved = patch(PLUGIN, "test", CI, repository=tree, captures={"argument": argument})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1].endswith(line)


@pytest.mark.parametrize(
    "files",
    [
        {"requirements-dev_dot_txt": "pytest-mock\n"},
        {"pyproject_dot_toml": '[project]\nname = "train"\n[project.optional-dependencies]\ndev = ["pytest-mock"]\n'},
        {"pyproject_dot_toml": '[dependency-groups]\ntest = ["pytest-mock"]\n'},
        {"docker_in_Dockerfile": "FROM scratch\nRUN pip install \\\n    pytest-mock \\\n    rich\n"},
        {"setup_dot_py": 'from setuptools import setup\nsetup(extras_require={"test": ["pytest-mock"]})\n'},
    ],
)
def test_anywhere_in_the_repository_names_it(files: dict[str, str]) -> None:
    proved = patch(
        PLUGIN, "test", CI, repository=repository("pip install pytest", **files), captures={"argument": "mocker"}
    )
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1].endswith("pip install pytest pytest-mock")


def test_a_bound_that_all_places_share_is_kept() -> None:
    tree = repository("pip install pytest", requirements_dot_txt="pytest-mock>=3.14\n")
    proved = patch(PLUGIN, "test", CI, repository=tree, captures={"argument": "mocker"})
    assert changed(proved)[-1].endswith('pip install pytest "pytest-mock>=3.14"')


@pytest.mark.parametrize(
    ("tree", "argument", "facts"),
    [
        (repository("pip install pytest"), "mocker", Facts()),
        (repository("pip install pytest", notes_dot_yml="# pytest-mock is not used\n"), "mocker", Facts()),
        (repository("pip install pytest", notes_dot_yml="a: pytest-mocking\n"), "mocker", Facts()),
        (repository("pip install pytest", requirements_dot_txt="pytest-mock\n"), "tiny_model", Facts()),
        (
            repository("pip install pytest", requirements_dot_txt="pytest-mock\n"),
            "mocker",
            Facts(installed={"pytest-mock": "3.14.0"}),
        ),
        (repository("pip install -r requirements.txt", requirements_dot_txt="pytest-mock\n"), "mocker", Facts()),
        (
            repository("pip install pytest", test="python -m train --report-log=a", a_dot_yml="x: pytest-reportlog\n"),
            "--report-log=a",
            Facts(),
        ),
        (repository(requirements_dot_txt="pytest-mock\n"), "mocker", Facts()),
    ],
    ids=["unnamed", "comment", "longer-name", "no-plugin", "installed", "brought", "another-program", "no-install"],
)
def test_near_misses_change_nothing(tree: MemoryTree, argument: str, facts: Facts) -> None:
    found = draft(PLUGIN, "test", CI, facts=facts, repository=tree, captures={"argument": argument})
    assert found.state is not PatchState.PATCH
    assert not found.edits


def test_an_option_of_the_repository_s_own_command_asks_for_the_plugin() -> None:
    tree = repository("pip install rich", test="python -m pytest --report-log=a tests")
    proved = patch(PLUGIN, "test", CI, captures={"argument": "--report-log=a"}, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "pip install pytest-reportlog" in proved.diff
    unasked = repository("pip install rich", test="python -m pytest tests")
    assert not draft(PLUGIN, "test", CI, captures={"argument": "--report-log=a"}, repository=unasked).edits
