"""One pass over one input: a reading with its matches for every job in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from triage.errors import UsageError
from triage.interfaces import LogSource
from triage.logs.blocks import Block, blocks
from triage.logs.cleaning import visible
from triage.logs.columns import columns
from triage.logs.encoding import open_utf8
from triage.logs.landmarks import Mark
from triage.logs.lines import is_stamped
from triage.logs.reading import Part
from triage.matching.engine import Candidate, candidates
from triage.matching.patterns import Patterns
from triage.matching.section import Section
from triage.model.log import Line, LogReading
from triage.model.run import Job

_SNIFFED_LINES = 20


def scan(source: LogSource, patterns: Patterns, job: Job | None = None) -> tuple[LogReading, ...]:
    """Reads the input once, in bounded memory; a second look reads only the lines before the failure.

    Usually one reading; several when the input holds several jobs (`gh run view --log`) or several attempts of one.
    What can be read of a damaged input is read, and a notice says so. Raises UsageError when nothing can.
    """
    reading = _Pass(source, patterns, job)
    try:
        with open_utf8(source) as stream:
            return reading.readings(blocks(stream))
    except OSError as error:
        raise UsageError(f"{source.name}: cannot be read: {error.strerror or error}.") from error


class _Pass:
    def __init__(self, source: LogSource, patterns: Patterns, job: Job | None) -> None:
        self._source = source
        self._patterns = patterns
        self._job = job
        self._section = Section(patterns, Line(1, ""))
        self._done: list[LogReading] = []
        self._last = Line(1, "")
        self._end = 0
        self._stamped = False
        self._notices: tuple[str, ...] = ()

    def readings(self, found: Iterator[Block]) -> tuple[LogReading, ...]:
        head = list(islice(found, 1))
        in_columns = self._sniff(head[0]) if head else False
        watched = self._watch(chain(head, found))
        for candidate in candidates(
            watched,
            self._patterns,
            lambda: self._section.attentive,
            in_columns,
            lambda: self._section.full,
            lambda skipped: self._section.skip(skipped),
        ):
            self._see(candidate)
        self._finish(Line(self._last.number + 1, "", self._end), self._last)
        return tuple(replace(done, notices=self._notices) for done in self._done)

    def _sniff(self, head: Block) -> bool:
        lines = visible(head.raw[: 1 << 14]).split(b"\n")[:_SNIFFED_LINES]
        in_columns = any(columns(line).end for line in lines)
        self._stamped = in_columns or any(is_stamped(line) for line in lines)
        return in_columns

    def _watch(self, found: Iterator[Block]) -> Iterator[Block]:
        """Notes where the input ends. A newline at the very end begins one more raw line, an empty one."""
        for block in self._readable(found):
            self._end = block.offset + len(block.raw)
            newlines = block.raw.count(b"\n")
            if newlines:
                self._last = Line(block.first + newlines, "", block.offset + block.raw.rfind(b"\n") + 1)
            else:
                self._last = Line(block.first, "", block.line_offset)
            yield block

    def _readable(self, found: Iterator[Block]) -> Iterator[Block]:
        try:
            yield from found
        except OSError as error:
            if not self._end:
                raise
            self._notices = (f"{self._source.name} ends early: {error.strerror or error}.",)

    def _see(self, candidate: Candidate) -> None:
        seen = candidate.seen
        marks = self._patterns.marks_of(seen.parsed.text) if candidate.located else ()
        starts = Mark.JOB_START in marks and seen.parsed.text.startswith(b"Current runner version:") and seen.stamp
        if seen.job and seen.job != self._section.job:
            if self._section.job:
                self._next(candidate)
            self._section.job = seen.job
        elif starts and self._section.started:
            self._next(candidate)
        self._section.started = self._section.started or bool(starts)
        self._section.see(candidate, marks)

    def _next(self, candidate: Candidate) -> None:
        begins = Line(candidate.seen.number, "", candidate.seen.offset)
        self._finish(begins, begins)
        self._section = Section(self._patterns, begins)

    def _finish(self, end: Line, last: Line) -> None:
        name = self._section.job or self._source.name
        if any(name == done.name for done in self._done):
            name = f"{name} ({len(self._done) + 1})"
        part = Part(self._section.first, end, last)
        self._done.append(self._section.reading(self._source, name, part, self._job, self._stamped))
