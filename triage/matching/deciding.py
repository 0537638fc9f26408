"""Turns the hits of one log into a signature's match, or says which of its conditions does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from triage.logs.lines import Seen
from triage.logs.reading import Placed
from triage.matching.conditions import Fails, HitsOf, Holds, evidence_leaves, holds, pick
from triage.matching.hits import Path
from triage.matching.patterns import Patterns, leaves, pattern_of
from triage.model.log import Line, Match
from triage.model.run import Job
from triage.model.signature import Condition, Signature

_MOST_OCCURRENCES = 64


@dataclass(frozen=True, slots=True)
class Vetoed:
    """The job is outside the signature's scope."""

    reason: str


def decide(
    signature: Signature, hits_of: HitsOf, patterns: Patterns, placed: Placed, job: Job | None
) -> Match | Fails | Vetoed:
    """Holds every condition against each stream in which the evidence was seen; several streams are one match."""
    if job and signature.scope.job and not _any_glob(job.name, signature.scope.job):
        return Vetoed(f"the job is {job.name!r}, its scope is {', '.join(signature.scope.job)}")

    def allowed(seen: Seen) -> bool:
        step = placed.step(seen.number)
        # Only the API knows a step's displayed name; what is unknown passes.
        known = bool(signature.scope.step) and step is not None and step.number > 0
        return not known or step is None or _any_glob(step.name, signature.scope.step)

    streams = _streams(signature.condition, hits_of)
    decided = [holds(signature.condition, s, hits_of, allowed, signature.occurrence) for s in streams or ("",)]
    held = [one for one in decided if isinstance(one, Holds) and one.evidence]
    if not held:
        return next((one for one in decided if isinstance(one, Fails)), Fails(signature.condition))
    beyond = sum(hits_of(leaf).beyond for leaf in evidence_leaves(signature.condition))
    return _match(signature, held, patterns, placed, beyond)


def _streams(condition: Condition, hits_of: HitsOf) -> tuple[str, ...]:
    found = {stream: None for leaf in evidence_leaves(condition) for stream in hits_of(leaf).streams}
    return tuple(found)


def _match(signature: Signature, held: list[Holds], patterns: Patterns, placed: Placed, beyond: int) -> Match:
    paths = {(path[0].number, path[-1].number): path for one in held for path in one.evidence}
    chosen = pick(tuple(paths.values()), signature.occurrence)
    owner = next(one for one in held if chosen in one.evidence)
    others = [*chosen[:-1], *owner.rest]
    numbers = [patterns.numbers[pattern_of(leaf)] for leaf in leaves(signature.condition)]
    evidence = _captured_by_any(patterns, numbers, chosen[-1])
    captures: dict[str, str] = {}
    for seen in others:
        captures |= _captured_by_any(patterns, numbers, seen).groups
    captures |= evidence.groups
    line = placed.line(replace(chosen[-1].line(), start=evidence.start, end=evidence.end))
    lines = {seen.number: seen for seen in [chosen[-1], *others]}
    counts = {path[-1].parsed.stream: one.count for one in held for path in one.evidence}
    return Match(
        signature=signature.id,
        line=line,
        captures=captures,
        lines=tuple(line if n == line.number else placed.line(lines[n].line()) for n in sorted(lines)),
        occurrences=_occurrences(list(paths.values()), placed),
        hits=sum(counts.values()) + beyond,
    )


def _occurrences(paths: list[Path], placed: Placed) -> tuple[Line, ...]:
    ordered = sorted({path[-1].number: path[-1] for path in paths}.values(), key=lambda seen: seen.number)
    if len(ordered) > _MOST_OCCURRENCES:
        streams = {seen.parsed.stream: seen for seen in reversed(ordered)}
        chosen = {seen.number: seen for seen in [*ordered[: _MOST_OCCURRENCES - 1], ordered[-1], *streams.values()]}
        ordered = sorted(chosen.values(), key=lambda seen: seen.number)
    return tuple(placed.line(seen.line()) for seen in ordered)


@dataclass(frozen=True, slots=True)
class Captured:
    """Where in the line's text a pattern matches, in characters, and its named groups that took part."""

    start: int
    end: int
    groups: Mapping[str, str]


def captured(patterns: Patterns, number: int, seen: Seen) -> Captured:
    text = seen.text
    found = patterns.single(number).search(text.encode())
    if found is None:
        return Captured(0, 0, {})
    start, end = (len(text.encode()[:at].decode("utf-8", "replace")) for at in found.span())
    return Captured(start, end, {_name(k): v.decode("utf-8", "replace") for k, v in found.groupdict().items() if v})


def _name(group: str | bytes) -> str:
    return group.decode() if isinstance(group, bytes) else group


def _captured_by_any(patterns: Patterns, numbers: list[int], seen: Seen) -> Captured:
    """By the first of the patterns that matches this line: the condition's order decides."""
    for number in numbers:
        found = captured(patterns, number, seen)
        if found.end or found.groups:
            return found
    return Captured(0, 0, {})


def _any_glob(text: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, glob) for glob in globs)
