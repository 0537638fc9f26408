from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import QuoteVersion

OWN = ".github/workflows/own.yml"
QUOTE = QuoteVersion("{version}")
LOST = {"version": "3.1"}


def job(rest: str, files: dict[str, str] | None = None) -> MemoryTree:
    head = "on: [push]\njobs:\n  build:\n    runs-on: ubuntu-latest\n    timeout-minutes: 3.10\n"
    return tree({OWN: head + rest, **(files or {})})


USES = "    steps:\n      - uses: {0}\n        with:\n          {1}\n"


@pytest.mark.parametrize(
    ("rest", "new"),
    [
        (USES.format("actions/setup-python@v5", "python-version: 3.10"), '+python-version: "3.10"'),
        # An action that sets Python up itself.
        (USES.format("example/train/.github/actions/gpu@v1", "python_version: 3.10"), '+python_version: "3.10"'),
        (
            "    strategy:\n      matrix:\n        python: [3.9, 3.10, '3.11']\n    steps:\n      - run: make\n",
            '+python: ["3.9", "3.10", \'3.11\']',
        ),
        (
            "    strategy:\n      matrix:\n        include:\n          - {os: a, python: 3.10}\n    steps:\n      - run: make\n",
            '+- {os: a, python: "3.10"}',
        ),
        ("    env:\n      PYTHON_VERSION: 3.10\n    steps:\n      - run: make\n", '+PYTHON_VERSION: "3.10"'),
    ],
)
def test_a_version_that_lost_its_zero_gets_quotes(rest: str, new: str) -> None:
    made = patch(QUOTE, "build", OWN, captures=LOST, repository=job(rest))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made)[1:] == [new]
    assert "3.10" in made.title


def test_every_place_of_the_file_is_quoted_and_of_another_service_too() -> None:
    twice = USES.format("actions/setup-python@v5", "python-version: 3.10")
    other = twice.replace("    steps", "  other:\n    runs-on: a\n    steps")
    made = patch(QUOTE, "build", OWN, captures=LOST, repository=job(twice + other))
    assert changed(made).count('+python-version: "3.10"') == 2
    gitlab = tree({".gitlab-ci.yml": "build:\n  variables:\n    PYTHON_VERSION: 3.10\n  script: [make]\n"})
    made = patch(QUOTE, "build", "", captures=LOST, repository=gitlab)
    assert changed(made) == ["-PYTHON_VERSION: 3.10", '+PYTHON_VERSION: "3.10"'], made.reason


def test_of_go_and_of_a_whole_number() -> None:
    held = job(USES.format("actions/setup-go@v5", "go-version: 1.20"))
    assert changed(patch(QUOTE, "build", OWN, captures={"version": "1.2"}, repository=held))[1] == '+go-version: "1.20"'
    held = job(USES.format("ruby/setup-ruby@v1", "ruby-version: 3.0"))
    assert changed(patch(QUOTE, "build", OWN, captures={"version": "3"}, repository=held))[1] == '+ruby-version: "3.0"'


@pytest.mark.parametrize(
    ("rest", "version", "state"),
    [
        (USES.format("actions/setup-python@v5", "python-version: 3.11"), "3.1", PatchState.REFUSED),
        # Nothing but the time limit is such a number.
        ("    steps:\n      - run: make\n", "3.1", PatchState.REFUSED),
        (USES.format("actions/setup-python@v5", "python-version: '3.10'"), "3.1", PatchState.IN_PLACE),
        (USES.format("actions/setup-python@v5", "python-version: 3.10"), "3.x", PatchState.REFUSED),
    ],
)
def test_what_lost_no_zero_stays(rest: str, version: str, state: PatchState) -> None:
    assert draft(QUOTE, "build", OWN, captures={"version": version}, repository=job(rest)).state is state
