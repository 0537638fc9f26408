"""A pin in the settings of tox and the sessions of nox, where the log shows that they installed the distribution."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
KEEP_OUT = PipPin(module="{importer}", spec="<{installed}")
TOX = """[testenv]
deps =
    pytest
    cpu: shardkit>=0.2

[testenv:gpu]
commands_pre =
    # pip install -U shardkit
    pip install -U shardkit
    pip install -e .
commands = pytest tests
"""
NOX = """import nox


@nox.session
def tests(session):
    session.install("pytest", "shardkit")  # newest
    session.run("pytest")
"""


def job(run: str, **files: str) -> MemoryTree:
    flow = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n      - run: {run}\n"
    return tree({CI: flow, **{path.replace("__", "."): text for path, text in files.items()}})


def made(repository: MemoryTree, *shown: str, workflow: str = CI) -> Patch:
    listed = {"shardkit": "0.17.0"}
    known = Facts(installs=shown, installed=listed, brought=frozenset(listed))
    job = "test" if workflow else ""
    return patch(KEEP_OUT, job, workflow, facts=known, captures={"importer": "shardkit"}, repository=repository)


@pytest.mark.parametrize(
    ("repository", "shown", "lines"),
    [
        (
            job("tox -e gpu --current-env", tox__ini=TOX),
            "pip install -U shardkit",
            ["-pip install -U shardkit", "+pip install -U 'shardkit<0.17.0'"],
        ),
        (
            job("python -m tox -e py311-cpu", tox__ini=TOX),
            "python -I -m pip install pytest 'shardkit>=0.2'",
            ["-cpu: shardkit>=0.2", "+cpu: shardkit>=0.2,<0.17.0"],
        ),
        (
            job("pip install nox && nox -s tests", noxfile__py=NOX),
            "python -m pip install pytest shardkit",
            [
                '-session.install("pytest", "shardkit")  # newest',
                '+session.install("pytest", "shardkit<0.17.0")  # newest',
            ],
        ),
    ],
)
def test_the_line_of_the_shown_command_is_bounded(repository: MemoryTree, shown: str, lines: list[str]) -> None:
    found = made(repository, shown)
    assert (found.state, found.reason) == (PatchState.PATCH, "")
    assert changed(found) == lines


def test_of_several_environments_the_log_does_not_say_which() -> None:
    twice = NOX + '\n\n@nox.session\ndef other(session):\n    session.install("shardkit", "numpy")\n'
    found = made(job("nox", noxfile__py=twice), "python -m pip install pytest shardkit")
    assert found.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        (TOX, "pip install -U shardkit pytest"),
        (TOX.replace("-U shardkit\n    pip", "-U shardkit==0.16\n    pip"), "pip install -U shardkit==0.16"),
        (TOX.replace("    pip install -U shardkit\n", ""), "pip install -U shardkit"),
    ],
)
def test_no_other_command_than_the_shown_one_is_bounded(settings: str, shown: str) -> None:
    found = made(job("tox -e gpu", tox__ini=settings), shown)
    assert not (found.state is PatchState.PATCH and "tox.ini" in found.files)
