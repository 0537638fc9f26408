"""The reviewed table says with which release a package lost a name, or got it, whatever release the log lists."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
KEEP_OUT = PipPin(module="{package}", spec="<{installed}")


def workflow(run: str) -> str:
    return (
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {run}\n      - run: pytest\n"
    )


def made(repository: MemoryTree, package: str, name: str = "", facts: Facts | None = None, job: str = "test") -> Patch:
    captures = {"package": package, **({"name": name} if name else {})}
    place = (job, CI) if job else ("", "")
    return patch(KEEP_OUT, *place, facts=facts or Facts(), captures=captures, repository=repository)


def in_job(requirements: str) -> MemoryTree:
    return tree({CI: workflow("pip install -r requirements.txt"), "requirements.txt": requirements})


@pytest.mark.parametrize(
    ("package", "name", "listed", "line"),
    [
        ("parsekit", "load", "1.7.2", "+parsekit>=1.0,<1.4"),  # three series behind
        ("parsekit", "load", "", "+parsekit>=1.0,<1.4"),
        ("parsekit.fsm.guide", "", "2.3.0", "+parsekit>=1.0,<2.0"),
        ("parsekit.fsm", "Guide", "", "+parsekit>=1.0,<2.0"),
        ("parsekit", "loads", "", "+parsekit>=1.0,<2.4"),  # from the sources
        ("parsekit.cores.ring", "", "", "+parsekit>=1.0,<2.4"),
        ("parsekit", "other", "1.7.2", "+parsekit>=1.0,<1.7"),  # what the table does not know
        ("parsekit", "load", "1.3.9", "+parsekit>=1.0,<1.3"),  # it is not that which is missing
    ],
)
def test_the_bound_is_the_release_that_lost_the_name(package: str, name: str, listed: str, line: str) -> None:
    facts = Facts(installed={"parsekit": listed} if listed else {})
    found = made(in_job("parsekit>=1.0\n"), package, name, facts)
    assert (found.state, changed(found)[1:]) == (PatchState.PATCH, [line]), found.reason


@pytest.mark.parametrize(
    ("listed", "requirement", "lines"),
    [
        ("1.5.1", "parsekit>=1.2", ["-parsekit>=1.2", "+parsekit>=1.6"]),
        ("", "parsekit", ["-parsekit", "+parsekit>=1.6"]),
    ],
)
def test_the_lower_bound_is_the_release_that_has_the_name(listed: str, requirement: str, lines: list[str]) -> None:
    facts = Facts(installed={"parsekit": listed} if listed else {}, brought=frozenset({"other"}))
    found = made(in_job(f"{requirement}\n"), "parsekit.types", "Audio", facts)
    assert (found.state, changed(found), found.title) == (
        PatchState.PATCH,
        lines,
        "Ask for parsekit>=1.6, which has it",
    )


@pytest.mark.parametrize(
    "files",
    [
        {"server/pyproject.toml": '[project]\nname = "server"\ndependencies = ["parsekit>=1.0"]\n'},
        {"tools/setup.py": 'from setuptools import setup\n\nsetup(name="tools", install_requires=["parsekit>=1.0"])\n'},
        {"requirements/serve.txt": "parsekit>=1.0\n", "old/requirements.txt": "parsekit==1.2\n"},
    ],
)
def test_without_a_job_the_only_file_that_leaves_it_open_is_bounded(files: dict[str, str]) -> None:
    found = made(tree(files), "parsekit.fsm", job="")
    assert (found.state, "parsekit>=1.0,<2.0" in changed(found)[1]) == (PatchState.PATCH, True), found.reason


def test_without_a_job_two_files_that_leave_it_open_leave_it_open_where() -> None:
    found = made(tree({"a/requirements.txt": "parsekit\n", "b/requirements.txt": "parsekit\n"}), "parsekit.fsm", job="")
    assert found.state is PatchState.ADVICE


def test_what_nothing_lists_and_nothing_names_is_put_into_no_command() -> None:
    found = made(in_job("other\n"), "parsekit.fsm")
    assert (found.state, "does not list the installed parsekit" in found.reason) == (PatchState.ADVICE, True)


SETUP = """
from setuptools import setup

_dev = ["formatter==21.5", "pytest"]


def _extras():
    return {"dev": _dev, "docs": ["sphinx"]}


setup(name="train", extras_require=_extras())
"""


def test_an_extra_that_a_function_of_the_setup_file_gives_is_continued() -> None:
    repository = tree({CI: workflow("pip install .[dev]"), "setup.py": SETUP})
    found = made(repository, "parsekit", "load", Facts(packages=("formatter",)))
    assert (found.state, found.files) == (PatchState.PATCH, ("setup.py",)), found.reason
    assert changed(found)[1] == '+_dev = ["formatter==21.5", "pytest", "parsekit<1.4"]'


@pytest.mark.parametrize(
    ("requirement", "state"),
    [
        ("parsekit<2.5", PatchState.ADVICE),
        ("parsekit>=2.0,<=2.4.9", PatchState.ADVICE),
        ("parsekit<3", PatchState.PATCH),
        ("parsekit>=2.0", PatchState.PATCH),
    ],
)
def test_what_is_held_to_its_series_is_not_held_lower(requirement: str, state: PatchState) -> None:
    """No new series came in: the code may want what only a later one has."""
    found = made(in_job(f"{requirement}\n"), "parsekit", "Later", Facts(installed={"parsekit": "2.4.0"}))
    assert found.state is state, found.reason
