from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import pytest

from triage.matching import compile_patterns, scan
from triage.model.log import LogReading
from triage.model.run import Job


@dataclass(frozen=True)
class Held:
    name: str
    content: bytes

    def open(self) -> BinaryIO:
        return io.BytesIO(self.content)


PATTERNS = compile_patterns([], {})


@pytest.fixture
def read() -> Callable[..., LogReading]:
    """Reads one job's log, given as text or bytes."""

    def reading(content: str | bytes, job: Job | None = None) -> LogReading:
        raw = content.encode() if isinstance(content, str) else content
        (only,) = scan(Held("job.log", raw), PATTERNS, job)
        return only

    return reading


@pytest.fixture
def held() -> type[Held]:
    return Held


@pytest.fixture
def stamped() -> Callable[[str], str]:
    """Gives every line a stamp, one second after the one before."""

    def stamp(text: str) -> str:
        return "\n".join(
            f"2026-08-20T03:{at // 60:02}:{at % 60:02}.0000000Z {line}" for at, line in enumerate(text.splitlines())
        )

    return stamp
