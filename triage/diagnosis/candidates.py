"""Matches with what decides between them: rank, strength, step, chain, place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import Ending, Outcome, Sections, grouped, mild
from triage.diagnosis.scope import narrowness
from triage.model.log import Line, LogReading, Match, Traceback
from triage.model.signature import Catalogue, Rank, Signature

# A signature and the captures that tell two of its failures apart.
Identity = tuple[str, tuple[tuple[str, str], ...]]

# What these report is the error that the code under test raised, whichever it was: no consequence of another failure.
_CHECKS = frozenset({"pytest-failure", "lint-failure", "build-failure"})
_RANK_ORDER = {Rank.ROOT: 0, Rank.SYMPTOM: 1, Rank.WRAPPER: 2}
_STREAM_RANK = re.compile(r"\b(?:rank|local_rank|default|TP|DP|PP|tp_rank|worker)[ =_]?(\d{1,5})\b")
_ERROR_SHAPE = re.compile(
    r"(?:Error|Exception|Interrupt)\b|\berrors\.|\b(?:ERROR|FATAL|CRITICAL|FAILED|[Ff]ailed|[Ff]atal|[Ee]rror|Assertion|terminate)\b"
    r"|\[?E\d{3,4} "
)
_SOURCE = re.compile(r"(?:\s{2,}|> {2,})(?:raise|return|assert|from|import|if|with|self)\b")
# A bare complaint that so many lines follow, in a log that does not end in a failure, was survived.
_AFTERLIFE = 30


class Strength(IntEnum):
    """How surely the program went down with this line. DROPPED: it surely did not."""

    STRONG = 0
    GREEN = 1  # in a step that ended green
    WEAK = 2
    DROPPED = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """`place` orders candidates in time; `chain` is the traceback group that holds the evidence, -1 for none."""

    match: Match
    signature: Signature
    strength: Strength
    why: str
    place: int
    chain: int
    streams: tuple[str, ...]
    ranks: tuple[int, ...]

    @property
    def line(self) -> Line:
        return self.match.line

    @property
    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        captures = self.match.captures
        return tuple((name, captures[name]) for name in self.signature.fingerprint if captures.get(name))

    @property
    def identity(self) -> Identity:
        return self.signature.id, self.fingerprint

    @property
    def stands_for_itself(self) -> bool:
        """A root, or a check's verdict on the code: it need not follow from anything else."""
        rank = self.signature.rank
        return rank is Rank.ROOT or (rank is Rank.SYMPTOM and self.signature.family in _CHECKS)

    @property
    def key(self) -> tuple[int, ...]:
        """Strength, then roots before symptoms, then time, then the narrower scope and the richer condition."""
        return (
            self.strength,
            _RANK_ORDER[self.signature.rank],
            self.place,
            -narrowness(self.signature.scope),
            -len(self.match.lines),
            self.match.line.start - self.match.line.end,
        )


def candidates_of(reading: LogReading, catalogue: Catalogue, order: Order, outcome: Outcome) -> tuple[Candidate, ...]:
    """All matches of known signatures, strongest and earliest first; those that were survived are gone."""
    places = _Places(grouped(reading.tracebacks), order)
    sections = Sections.of(reading)
    found = (
        _candidate(match, catalogue.signatures[match.signature], places, sections, outcome, reading.lines)
        for match in reading.matches
        if match.signature in catalogue.signatures
    )
    kept = (candidate for candidate in found if candidate.strength is not Strength.DROPPED)
    return tuple(_merged(sorted(kept, key=lambda candidate: (*candidate.key, candidate.signature.id))))


@dataclass(frozen=True, slots=True)
class _Places:
    groups: Sequence[tuple[Traceback, ...]]
    order: Order

    def of(self, line: Line) -> tuple[int, int]:
        """Where a line stands in time, and its chain. Inside a traceback all lines stand where its error does."""
        for index, group in enumerate(self.groups):
            for traceback in group:
                if traceback.stream == line.stream and traceback.first <= line.number <= traceback.last:
                    return self.order.place(traceback.error.number), index
        return self.order.place(line.number), -1


def _candidate(
    found: Match, signature: Signature, places: _Places, sections: Sections, outcome: Outcome, lines: int
) -> Candidate:
    match = _evidence(found)
    strength, why = _strength(match, sections, outcome, lines)
    place, chain = places.of(match.line)
    streams = tuple(dict.fromkeys(line.stream for line in (match.line, *match.occurrences)))
    return Candidate(match, signature, strength, why, place, chain, streams, ranks_of(streams))


def _evidence(match: Match) -> Match:
    """The match with its evidence at the first hit that its program did not survive.

    A warning may come before the failure that it announces. A traceback shows the source that raised, message and
    all, before the message itself: that one is meant.
    """
    grave = (line for line in (match.line, *match.occurrences) if not _survived(line))
    return replace(match, line=next(grave, match.line))


def _survived(line: Line) -> str:
    return mild(line) or ("it is a line of source that a traceback shows" if _is_source(line) else "")


def _is_source(line: Line) -> bool:
    return _SOURCE.match(line.text) is not None


def _strength(match: Match, sections: Sections, outcome: Outcome, lines: int) -> tuple[Strength, str]:
    line = match.line
    if sections.passed(line):
        return Strength.DROPPED, "a test that passed printed it"
    words = _survived(line)
    if outcome.ending is Ending.UNCLEAR:
        if words:
            return Strength.DROPPED, words
        last = max(hit.number for hit in (line, *match.occurrences))
        if not _ERROR_SHAPE.search(line.text[:2000]) and lines - last > _AFTERLIFE:
            return Strength.DROPPED, "the program went on, and nothing failed"
    if words:
        return Strength.WEAK, words
    if outcome.step_failed(line.step) is False:
        return Strength.GREEN, "its step did not fail"
    return Strength.STRONG, ""


def _merged(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """One candidate per signature and fingerprint: the first one, with the streams and ranks of all."""
    merged: dict[Identity, list[Candidate]] = {}
    for candidate in candidates:
        merged.setdefault(candidate.identity, []).append(candidate)
    for first, *others in merged.values():
        streams = tuple(dict.fromkeys(stream for each in (first, *others) for stream in each.streams))
        yield _with_streams(first, streams) if others else first


def _with_streams(first: Candidate, streams: tuple[str, ...]) -> Candidate:
    return replace(first, streams=streams, ranks=ranks_of(streams))


def ranks_of(streams: Sequence[str]) -> tuple[int, ...]:
    """The ranks that streams name ("rank3", "VllmWorker rank=1 pid=7", "TP0"), sorted."""
    return tuple(sorted({int(found[1]) for stream in streams if (found := _STREAM_RANK.search(stream))}))


def explained_by(catalogue: Catalogue) -> Mapping[str, frozenset[str]]:
    """Signature -> all that it explains, through every edge. A circle ends where it began."""
    closure: dict[str, frozenset[str]] = {}
    for origin, signature in catalogue.signatures.items():
        seen: set[str] = set()
        waiting = list(signature.explains)
        while waiting:
            name = waiting.pop()
            if name not in seen and name != origin:
                seen.add(name)
                waiting += catalogue.signatures[name].explains if name in catalogue.signatures else ()
        closure[origin] = frozenset(seen)
    return closure
