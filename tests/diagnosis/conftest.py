"""Small logs as values: what a scan would have found in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO

import pytest

from triage.diagnosis import PROBES, diagnose
from triage.logs import window
from triage.matching import compile_patterns, scan
from triage.model.log import Line, LogReading, Match, Probed, StepSpan, Traceback
from triage.model.run import Job
from triage.model.signature import (
    Catalogue,
    Category,
    Contains,
    Explain,
    Rank,
    Scope,
    Severity,
    Signature,
    Status,
)
from triage.sources.catalogue import load

JOB = Job(0, 0, 1, "", "completed", None)


@dataclass
class Log:
    """A log under construction: `says` adds a line, the others say what a scan finds at it."""

    lines: list[Line] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    probed: list[Probed] = field(default_factory=list)
    tracebacks: list[Traceback] = field(default_factory=list)
    signatures: dict[str, Signature] = field(default_factory=dict)
    extra: dict[str, object] = field(default_factory=dict)

    def says(self, text: str, stream: str = "", step: StepSpan | None = None, at: int = 0) -> Line:
        line = Line(at or (self.lines[-1].number + 1 if self.lines else 1), text, stream=stream, step=step)
        self.lines.append(line)
        return line

    def matched(
        self,
        line: Line,
        signature: str,
        rank: Rank = Rank.ROOT,
        explains: tuple[str, ...] = (),
        captures: Mapping[str, str] | None = None,
        scope: Scope = Scope(),
        status: Status = Status.STABLE,
    ) -> Line:
        self.signatures[signature] = Signature(
            id=signature,
            title=signature,
            owner="infra",
            family=f"{signature}-family",
            category=Category.DETERMINISTIC,
            severity=Severity.HIGH,
            rank=rank,
            status=status,
            condition=Contains(line.text),
            explain=Explain("what"),
            scope=scope,
            fingerprint=tuple(captures or ()),
            explains=explains,
        )
        self.matches.append(Match(signature, line, dict(captures or {}), (line,), (line,)))
        return line

    def probe(self, line: Line, probe: str, /, **captures: str) -> Line:
        self.probed.append(Probed(probe, line, captures))
        return line

    def traceback(
        self, error: Line, error_type: str, message: str = "", chain: str = "", before: int = 2, **more: object
    ) -> Line:
        self.tracebacks.append(
            Traceback(
                error.number - before, error.number, error.stream, error, error_type, message, chain=chain, **more
            )
        )
        return error

    @property
    def reading(self) -> LogReading:
        return LogReading(
            name="job.log",
            lines=self.lines[-1].number if self.lines else 0,
            size=0,
            matches=tuple(self.matches),
            probed=tuple(self.probed),
            tracebacks=tuple(self.tracebacks),
            tail=tuple(self.lines[-20:]),
            **self.extra,
        )

    @property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.signatures)

    def exits(self, code: int = 1) -> Line:
        line = self.says(f"##[error]Process completed with exit code {code}.")
        self.probe(line, "runner_error")
        return self.probe(line, "exit_code", code=str(code))


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def job() -> Callable[..., Job]:
    def build(conclusion: str | None = None, **more: object) -> Job:
        return Job(1, 1, 1, str(more.pop("name", "")), "completed", conclusion, **more)

    return build


class Source:
    name = "job.log"

    def __init__(self, text: str) -> None:
        self.content = text.encode()

    def open(self) -> BytesIO:
        return BytesIO(self.content)


@pytest.fixture(scope="session")
def whole():
    """Diagnoses a text with the built-in catalogue: a diagnosis for each job in it."""
    catalogue = load(cache=False)
    patterns = compile_patterns(catalogue.signatures.values(), PROBES)

    def run(text):
        source = Source(text)
        return [
            diagnose(reading, catalogue, JOB, (), lambda line, before, after: window(source, line, before, after))
            for reading in scan(source, patterns, JOB)
        ]

    return run
