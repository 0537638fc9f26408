from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import pytest

from triage.matching import compile_patterns, scan
from triage.model.log import LogReading, Match
from triage.model.run import Job
from triage.model.signature import Category, Condition, Explain, Rank, Severity, Signature, Status


@dataclass(frozen=True)
class Held:
    """A log in memory; `opened` counts how often it was opened."""

    name: str
    content: bytes
    opened: list[int] = field(default_factory=list, compare=False)

    def open(self) -> BinaryIO:
        self.opened.append(1)
        return io.BytesIO(self.content)


def signature(condition: Condition, **fields: Any) -> Signature:
    base = Signature(
        "s", "t", "o", "f", Category.INFRA, Severity.LOW, Rank.ROOT, Status.STABLE, condition, Explain("w")
    )
    from dataclasses import replace

    return replace(base, **fields)


@pytest.fixture
def make() -> Callable[..., Signature]:
    return signature


@pytest.fixture
def held() -> type[Held]:
    return Held


@pytest.fixture
def match() -> Callable[..., Match | None]:
    """The match of one condition in a text, None when there is none."""

    def matched(condition: Condition, text: str | bytes, job: Job | None = None, **fields: Any) -> Match | None:
        raw = text.encode() if isinstance(text, str) else text
        (reading,) = scan(Held("log", raw), compile_patterns([signature(condition, **fields)], {}), job)
        return reading.matches[0] if reading.matches else None

    return matched


@pytest.fixture
def read() -> Callable[..., LogReading]:
    def reading(signatures: list[Signature], text: str | bytes, probes: dict[str, str] | None = None) -> LogReading:
        raw = text.encode() if isinstance(text, str) else text
        (only,) = scan(Held("log", raw), compile_patterns(signatures, probes or {}))
        return only

    return reading
