from dataclasses import replace

import pytest

from triage.github.cancellation import Cancellation
from triage.github.client import Client, Settings
from triage.github.etags import EtagCache
from triage.github.pace import Limits, Pace


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second lies between two writes otherwise, and one or two before a failed request is sent again; tests/github
    proves that."""

    def paced(limits: Limits, cancellation: Cancellation) -> Pace:
        return Pace(replace(limits, write_gap=0.0), cancellation)

    def client(settings: Settings, pace: Pace, cancellation: Cancellation, etags: EtagCache | None) -> Client:
        return Client(replace(settings, backoff=0.01), pace, cancellation, etags)

    monkeypatch.setattr("triage.github.adapter.Pace", paced)
    monkeypatch.setattr("triage.github.adapter.Client", client)
