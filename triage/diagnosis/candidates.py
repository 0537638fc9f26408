"""Matches with what decides between them: rank, strength, step, chain, place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import Outcome, Sections, grouped
from triage.diagnosis.scope import narrowness
from triage.diagnosis.shapes import is_hollow
from triage.diagnosis.strengths import Strength, evidence_of, strength_of
from triage.model.log import Line, LogReading, Match, Traceback
from triage.model.signature import Catalogue, Rank, Signature

# A signature and the captures that tell two of its failures apart.
Identity = tuple[str, tuple[tuple[str, str], ...]]

# What these report is the error that the code under test raised, whichever it was: no consequence of another failure.
CHECKS = frozenset({"pytest-failure", "lint-failure", "build-failure"})
_RANK_ORDER = {Rank.ROOT: 0, Rank.SYMPTOM: 1, Rank.WRAPPER: 2}
# Lines that an exception's message goes on for; those of other ranks come between them.
_MESSAGE = 40
_STREAM_RANK = re.compile(r"\b(?:rank|local_rank|default|TP|DP|PP|tp_rank|worker)[ =_]?(\d{1,5})\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """`place` orders candidates in time; `chain` is the traceback group that holds the evidence, -1 for none.

    `handled`: the program caught this exception, and died of a later one of the chain that nothing explains.
    """

    match: Match
    signature: Signature
    strength: Strength
    why: str
    place: int
    chain: int
    streams: tuple[str, ...]
    ranks: tuple[int, ...]
    handled: bool = False

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
        return rank is Rank.ROOT or (rank is Rank.SYMPTOM and self.signature.family in CHECKS)

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
    matched = frozenset(line.number for match in reading.matches for line in (match.line, *match.occurrences))
    places = _Places(grouped(reading.tracebacks), order, matched)
    sections = Sections.of(reading)
    found = (
        _candidate(match, catalogue.signatures[match.signature], places, sections, outcome, reading)
        for match in reading.matches
        if match.signature in catalogue.signatures
    )
    kept = (candidate for candidate in found if candidate.strength is not Strength.DROPPED)
    return tuple(_merged(in_order(kept)))


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The strongest and earliest first."""
    return sorted(candidates, key=lambda candidate: (*candidate.key, candidate.signature.id))


@dataclass(frozen=True, slots=True)
class _Places:
    groups: Sequence[tuple[Traceback, ...]]
    order: Order
    matched: frozenset[int]

    def of(self, match: Match) -> tuple[int, int]:
        """Where the evidence stands in time, and its chain. Inside a traceback all lines stand where its error does,
        and so do the further lines of that error's message, which follow it."""
        own = self._of(match.line)
        if own[1] >= 0:
            return own
        above = (line for line in match.lines if 0 < match.line.number - line.number <= _MESSAGE)
        return next((head for line in above if (head := self._of(line))[1] >= 0 and self._is_error(line)), own)

    def _is_error(self, line: Line) -> bool:
        return any(traceback.error.number == line.number for group in self.groups for traceback in group)

    def _of(self, line: Line) -> tuple[int, int]:
        for index, group in enumerate(self.groups):
            for traceback in group:
                if traceback.stream == line.stream and traceback.first <= line.number <= traceback.last:
                    return self.order.place(traceback.error.number), index
        return self.order.place(line.number), -1

    def handled(self, line: Line, chain: int) -> bool:
        """Whether the chain goes on "during handling" of this line's exception and ends in one that nothing matched."""
        if chain < 0:
            return False
        *_, last = self.groups[chain]
        unknown = not self.matched.intersection(range(last.first, last.last + 1)) and not is_hollow(last.error)
        return unknown and last.chain == "context" and line.number < last.first


def _candidate(
    found: Match, signature: Signature, places: _Places, sections: Sections, outcome: Outcome, reading: LogReading
) -> Candidate:
    match = evidence_of(found, sections)
    strength, why = strength_of(match, signature, sections, outcome, reading)
    place, chain = places.of(match)
    streams = tuple(dict.fromkeys(line.stream for line in (match.line, *match.occurrences)))
    handled = places.handled(match.line, chain)
    return Candidate(match, signature, strength, why, place, chain, streams, ranks_of(streams), handled)


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
