"""Whether the stamps of the log say that the job's own limit ended it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes import Target, prescribe
from triage.fixes.recipes.situation import open_situation
from triage.fixes.recipes.wiring.limits import limit_reached
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Cause, Facts
from triage.model.log import Confidence, Line
from triage.model.patch import PatchState
from triage.model.signature import Tables
from triage.sources.catalogue import load

PATH = ".github/workflows/own.yml"


@pytest.mark.parametrize(
    ("limit", "minutes", "reached"),
    [
        ("timeout-minutes: 20", 20.2, True),
        ("timeout-minutes: 20", 19.7, True),
        ("timeout-minutes: 20", 17.0, False),  # a person, or a newer push
        ("timeout-minutes: 20", 31.0, False),
        ("timeout-minutes: 20", 0.0, False),  # no stamps
        ("timeout-minutes: ${{ vars.LIMIT }}", 20.2, False),
        ("name: test", 360.1, False),  # GitHub's own limit stands in no file
    ],
)
def test_a_job_that_ends_when_its_time_is_over_reached_its_limit(limit: str, minutes: float, reached: bool) -> None:
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    {limit}\n    steps:\n      - run: pytest\n"
    here = open_situation(tree({PATH: text}), Target(PATH, "test"), Facts(minutes=minutes), Tables(), {})
    assert not isinstance(here, Refusal)
    assert limit_reached(here) is reached


@pytest.mark.parametrize(("minutes", "raised"), [(20.2, True), (12.0, False), (0.0, False)])
def test_only_a_limit_that_was_reached_is_raised(minutes: float, raised: bool) -> None:
    signature = load(cache=False).signatures["operation-canceled"]
    text = "on: push\njobs:\n  test:\n    runs-on: gpu\n    timeout-minutes: 20\n    steps:\n      - run: pytest\n"
    cause = Cause.of(signature, Line(9, "##[error]The operation was canceled."), "", Confidence.LOW)
    files = tree({PATH: text})
    drafts = prescribe(cause, signature, Facts(minutes=minutes), Target(PATH, "test"), files, files, Tables())
    assert [draft.state for draft in drafts if draft.recipe == "timeout"] == [PatchState.PATCH] * raised
