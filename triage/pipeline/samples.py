"""A signature's sample logs, found by name and tried both ways: `<id>.match*.log` and `<id>.clean*.log`."""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from triage.catalogue.findings import Finding
from triage.diagnosis import diagnose
from triage.matching import Patterns, scan
from triage.model.log import Line, LogReading
from triage.model.run import Job
from triage.model.signature import Catalogue, Rank, Signature, Status

# Marks the evidence inside a sample; taken out before the sample is read.
MARK = "#=> "


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample log without its marks; `expected` are the marked lines, from 1."""

    name: str
    content: bytes = field(repr=False)
    expected: tuple[int, ...] = ()

    def open(self) -> BinaryIO:
        return io.BytesIO(self.content)


@dataclass(frozen=True, slots=True)
class Siblings:
    """What lies beside a signature's file; `patch` is None when there is no such folder."""

    match: tuple[Sample, ...]
    clean: tuple[Sample, ...]
    patch: Path | None


def siblings_of(file: Path) -> Siblings:
    patch = file.with_suffix(".patch")
    return Siblings(
        match=tuple(_sample(path) for path in _beside(file, "match")),
        clean=tuple(_sample(path) for path in _beside(file, "clean")),
        patch=patch if patch.is_dir() else None,
    )


def _beside(file: Path, kind: str) -> list[Path]:
    names = (f"{file.stem}.{kind}.log", f"{file.stem}.{kind}.*.log")
    return sorted(path for path in file.parent.iterdir() if any(fnmatch.fnmatchcase(path.name, name) for name in names))


def _sample(path: Path) -> Sample:
    lines = path.read_text(encoding="utf-8").split("\n")
    expected = tuple(number for number, line in enumerate(lines, start=1) if line.startswith(MARK))
    text = "\n".join(line.removeprefix(MARK) for line in lines)
    return Sample(path.name, text.encode(), expected)


def missing(signature: Signature, beside: Siblings) -> Iterator[Finding]:
    """SIG008: samples that the status asks for; SIG028: the near miss, which the others should have too."""
    near_miss = "SIG008" if signature.status is Status.STABLE else "SIG028"
    for name, found, check in (("match.log", beside.match, "SIG008"), ("clean.log", beside.clean, near_miss)):
        if not found:
            yield Finding(signature.source, 0, check, f"{signature.id}.{name} is missing")


def try_logs(signature: Signature, beside: Siblings, catalogue: Catalogue, patterns: Patterns) -> Iterator[Finding]:
    """SIG017: a match sample must hit the marked line, and win where it is a root; a clean one must not hit."""
    for sample in beside.match:
        for reading in scan(sample, patterns):
            yield from _matches(signature, sample, reading, catalogue)
    for sample in beside.clean:
        for reading in scan(sample, patterns):
            for hit in reading.matches:
                if hit.signature == signature.id:
                    text = f"{sample.name}:{hit.line.number} is a near miss and matches: {hit.line.text[:120]}"
                    yield Finding(signature.source, 0, "SIG017", text)


def _matches(signature: Signature, sample: Sample, reading: LogReading, catalogue: Catalogue) -> Iterator[Finding]:
    hit = next((hit for hit in reading.matches if hit.signature == signature.id), None)
    if len(sample.expected) != 1:
        yield Finding(signature.source, 0, "SIG017", f"{sample.name} marks {len(sample.expected)} lines, not one")
    elif hit is None:
        yield Finding(signature.source, 0, "SIG017", f"{sample.name} does not match")
    elif signature.rank is Rank.ROOT:
        yield from _wins(signature, sample, reading, catalogue)
    elif hit.line.number != sample.expected[0] and sample.expected[0] not in _numbers(hit.occurrences):
        text = f"{sample.name} matches on line {hit.line.number}, not on {sample.expected[0]}"
        yield Finding(signature.source, 0, "SIG017", text)


def _wins(signature: Signature, sample: Sample, reading: LogReading, catalogue: Catalogue) -> Iterator[Finding]:
    """The sample proves the ranking too: diagnosis must name this signature, at the marked line."""
    causes = diagnose(reading, catalogue, _ANY_JOB).causes
    named = next((cause for cause in causes if cause.signature == signature.id), None)
    if named is None:
        others = ", ".join(cause.signature for cause in causes) or "nothing"
        yield Finding(signature.source, 0, "SIG017", f"{sample.name} is diagnosed as {others}")
    elif named.line.number != sample.expected[0]:
        text = f"{sample.name} is named on line {named.line.number}, not on {sample.expected[0]}"
        yield Finding(signature.source, 0, "SIG017", text)


def _numbers(lines: Sequence[Line]) -> tuple[int, ...]:
    return tuple(line.number for line in lines)


_ANY_JOB = Job(id=0, run_id=0, attempt=1, name="", status="completed", conclusion="failure")
