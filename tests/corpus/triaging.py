"""What `triage log` would say of a text, without a process for each: one compiled catalogue, many logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import BinaryIO

from triage.diagnosis import PROBES, diagnose
from triage.logs import window
from triage.matching import compile_patterns, scan
from triage.model.diagnosis import JobDiagnosis
from triage.model.log import Line, LogReading
from triage.model.run import Job
from triage.sources.catalogue import load


@dataclass(frozen=True, slots=True)
class Text:
    """A log in memory, read like a file."""

    content: bytes
    name: str = "case.log"

    def open(self) -> BinaryIO:
        return BytesIO(self.content)


@dataclass
class Triager:
    catalogue: object = field(default_factory=load)
    patterns: object = field(init=False)

    def __post_init__(self) -> None:
        self.patterns = compile_patterns(self.catalogue.signatures.values(), PROBES)

    def __call__(self, content: bytes) -> list[tuple[LogReading, JobDiagnosis]]:
        """Each job that the text holds, as read and as diagnosed."""
        text = Text(content)
        job = Job(0, 0, 1, "", "completed", None)
        found = []
        for reading in scan(text, self.patterns, job):
            named = replace(job, name=reading.name)
            found.append((reading, diagnose(reading, self.catalogue, named, (), context_of(text))))
        return found


def context_of(text: Text) -> Callable[[Line, int, int], tuple[Line, ...]]:
    return lambda line, before, after: window(text, line, before, after)
