"""The limit of a step that Buildkite runs: found by its commands, raised where the clock says that it was reached."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import Timeout

RAISED = Timeout(level="buildkite")
LONG = "find long/ -name 'test_*.py' | xargs -n1 pytest -v"


def repository(path: str = ".buildkite/pipeline.yml", short: int = 60, long: int = 60) -> MemoryTree:
    return tree(
        {
            path: f"""\
steps:
  - label: ":pytest: Short"
    key: short
    timeout_in_minutes: {short}
    command: "cd tests && pytest -v short"
  - group: Slow
    steps:
      - label: Long
        timeout_in_minutes: {long}  # on eight devices
        commands:
          # one process each
          - cd tests
          - {LONG}
      - label: Without
        commands:
          - make all
""",
            ".github/workflows/own.yml": "on: push\njobs: {}\n",
        }
    )


@pytest.mark.parametrize(
    ("files", "job", "commands", "facts"),
    [
        (repository(), "", ("+ find long/ -name test_*.py", "+ xargs -n1 pytest -v"), {"clocked": 58.7}),
        (repository(".buildkite/a/b.yaml"), "", ("xargs -n1 pytest -v",), {"minutes": 60.2}),
        (repository("ci/buildkite-gpu.yml"), "Long", (), {"minutes": 60.2}),
        # Both would fit by what little is shown, and only one by the time.
        (repository(short=20), "", ("cd tests",), {"clocked": 59.0}),
    ],
)
def test_the_step_that_ran_so_long_gets_half_as_much_again(
    files: MemoryTree, job: str, commands: tuple[str, ...], facts: dict[str, float]
) -> None:
    shown = tuple(one.lstrip("+ ") for one in commands)
    given = Facts(commands=shown, minutes=facts.get("minutes", 0), clocked=facts.get("clocked", 0))
    made = patch(RAISED, job, "", captures={}, facts=given, repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == ["+timeout_in_minutes: 90  # on eight devices"]


@pytest.mark.parametrize(
    ("files", "commands", "minutes", "reason"),
    [
        (repository(), ("xargs -n1 pytest -v",), 31.0, "it was canceled after about 31 minutes"),
        (repository(), ("xargs -n1 pytest -v",), 0.0, "no clock"),
        (repository(), ("xargs -n1 pytest -v",), 64.0, "it was canceled after about 64 minutes"),
        (repository(), ("cd tests",), 60.0, "it was canceled after about 60 minutes"),
        (repository(), ("make all",), 60.0, "no step with a timeout_in_minutes"),
        (tree({"pipeline.yml": "steps: [{timeout_in_minutes: 60, command: make all}]\n"}), ("make all",), 60.0, "no step"),
    ],
)  # fmt: skip
def test_another_cancellation_raises_nothing(
    files: MemoryTree, commands: tuple[str, ...], minutes: float, reason: str
) -> None:
    facts = Facts(commands=commands, clocked=minutes)
    made = draft(RAISED, "", "", captures={}, facts=facts, repository=files)
    assert made.state is PatchState.REFUSED
    assert reason in made.reason


@pytest.mark.parametrize(
    ("said", "job", "commands", "raised"),
    [
        ({"lasting": "60 minutes"}, "Long", (), "+timeout_in_minutes: 90  # on eight devices"),
        ({"lasting": "1h"}, "", ("xargs -n1 pytest -v",), "+timeout_in_minutes: 90  # on eight devices"),
        # A step of that name runs under another limit elsewhere.
        ({"seconds": "1200"}, "short", (), "+timeout_in_minutes: 30"),
        ({"lasting": "45 minutes"}, "Long", (), ""),
        ({"lasting": "60 minutes"}, "Another", ("make",), ""),
        ({}, "Long", (), ""),
    ],
)
def test_a_limit_whose_length_the_log_says_is_raised_in_the_step_that_has_it(
    said: dict[str, str], job: str, commands: tuple[str, ...], raised: str
) -> None:
    files = {path: text.decode() for path, text in repository(short=20).files.items()}
    files[".buildkite/amd.yml"] = "steps:\n- label: short\n  timeout_in_minutes: 50\n  command: make short\n"
    make = patch if raised else draft
    made = make(Timeout(level="job"), job, "", captures=said, facts=Facts(commands=commands), repository=tree(files))
    assert (made.state is PatchState.PATCH) == bool(raised), made.reason
    assert not isinstance(made, Patch) or [line for line in changed(made) if line[0] == "+"] == [raised]
