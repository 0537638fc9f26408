"""Supporting gates start other programs; what they find is proved in tests/gates. Here only mandatory ones run."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def mandatory_gates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.gates.linters.LINTERS", ())
    monkeypatch.setattr("triage.gates.composes.find_spec", lambda name: None)
