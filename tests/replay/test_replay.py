"""Merged fixes replayed: no patch that does not apply, none for what the merged commit would not touch.

The whole set: `python -m tests.replay --git DIR`. Here every sixteenth case, as far as its repository is at hand.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.replay.__main__ import HERE, missing, replay
from tests.replay.cases import Case, read_cases

VARIABLE = "TRIAGE_REPLAY_GIT"
CASES = read_cases(HERE / "cases.json", HERE / "logs")


def test_the_committed_cases_have_their_logs_and_their_facts() -> None:
    assert len(CASES) >= 60
    assert False in {case.held for case in CASES}
    assert [case.id for case in CASES if not (HERE / "logs" / f"{case.id}.log").exists()] == []
    assert [case.id for case in CASES if not case.files] == []


@pytest.mark.parametrize("case", CASES[::16], ids=lambda case: case.id)
def test_a_patch_applies_and_a_second_run_is_empty(case: Case) -> None:
    git = Path(os.environ.get(VARIABLE, ""))
    reason = missing(case, git, HERE / "logs") if os.environ.get(VARIABLE) else f"{VARIABLE} names no folder of clones"
    if reason:
        pytest.skip(reason)
    one = replay(git, case, HERE / "logs" / f"{case.id}.log")
    assert one.honest or (one.proposal.applies and one.proposal.empty_again)
