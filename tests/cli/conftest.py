from dataclasses import replace

import pytest

from triage.github.cancellation import Cancellation
from triage.github.pace import Limits, Pace


@pytest.fixture(autouse=True)
def writes_without_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real second lies between two writes otherwise; tests/github proves the gap, by a clock of its own."""

    def paced(limits: Limits, cancellation: Cancellation) -> Pace:
        return Pace(replace(limits, write_gap=0.0), cancellation)

    monkeypatch.setattr("triage.github.adapter.Pace", paced)
