"""The limit of a job that GitLab runs, in the file that sets it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.wiring.gitlab import minutes
from triage.model.patch import PatchState
from triage.model.recipe import Timeout

CI = ".gitlab-ci.yml"
RAISED = Timeout(level="gitlab")
HALF_AN_HOUR = {"limit": "30m0s"}


def repository(timeout: str = "timeout: 30m", **files: str) -> MemoryTree:
    text = f"include: [.gitlab/tests.yml]\nbuild:\n  stage: build\n  {timeout}\n  script:\n    - docker build .\n"
    return tree({CI: text, **files})


@pytest.mark.parametrize(
    ("timeout", "limit", "expected"),
    [
        ("timeout: 30m", "30m0s", ["-timeout: 30m", "+timeout: 45m"]),
        ("timeout: 30 minutes", "30m0s", ["-timeout: 30 minutes", "+timeout: 45 minutes"]),
        ("timeout: 1h", "1h0m0s", ["-timeout: 1h", '+timeout: "1h 30m"']),
        ("timeout: 2 hours", "2h0m0s", ["-timeout: 2 hours", "+timeout: 3 hours"]),
        ('timeout: "1h 30m"', "1h30m0s", ['-timeout: "1h 30m"', '+timeout: "2h 15m"']),
    ],
)
def test_the_limit_that_the_log_speaks_of_is_raised_in_its_own_unit(
    timeout: str, limit: str, expected: list[str]
) -> None:
    made = patch(RAISED, "build", "", captures={"limit": limit}, repository=repository(timeout))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize("name", ["build: [a, b]", "build: [a, ...", "build 2/5", "build"])
def test_a_cell_of_a_job_has_the_jobs_limit(name: str) -> None:
    assert patch(RAISED, name, "", captures=HALF_AN_HOUR, repository=repository()).state is PatchState.PATCH


def test_what_the_job_extends_holds_it_too() -> None:
    files = {".gitlab/tests.yml": ".base:\n  timeout: 30m\ntest:\n  extends: .base\n  script: [make]\n"}
    made = patch(RAISED, "test", "", captures=HALF_AN_HOUR, repository=repository(**files))
    assert (made.state, made.files) == (PatchState.PATCH, (".gitlab/tests.yml",))


@pytest.mark.parametrize(
    ("job", "here", "captures", "reason"),
    [
        ("build", repository(), {"limit": "1h0m0s"}, "not the limit that the log speaks of"),
        ("build", repository("timeout: $LIMIT"), HALF_AN_HOUR, "not the limit that the log speaks of"),
        ("build", repository("tags: [a]"), HALF_AN_HOUR, "no timeout of its own"),
        ("other", repository(), HALF_AN_HOUR, "no GitLab file of the repository holds"),
        ("build", tree({"a.yml": "build:\n  timeout: 30m\n"}), HALF_AN_HOUR, "no GitLab file of the repository holds"),
        (
            "build",
            repository(**{".gitlab/tests.yml": "build:\n  timeout: 30m\n"}),
            HALF_AN_HOUR,
            "several files hold",
        ),
    ],
)
def test_another_limit_is_left_alone(job: str, here: MemoryTree, captures: dict[str, str], reason: str) -> None:
    made = draft(RAISED, job, "", captures=captures, repository=here)
    assert (made.state, reason in made.reason) == (PatchState.REFUSED, True), made.reason


def test_the_most_that_is_allowed_stays() -> None:
    made = draft(RAISED, "build", "", captures={"limit": "6h0m0s"}, repository=repository("timeout: 6h"))
    assert made.state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    ("text", "expected"),
    [("30m0s", 30), ("1h", 60), ("1h 30m", 90), ("90 minutes", 90), ("soon", None), ("$A", None), ("30", None)],
)
def test_durations(text: str, expected: int | None) -> None:
    assert minutes(text) == (None if expected is None else Decimal(expected))
