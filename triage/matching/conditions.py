"""Decides, from the hits of one log, whether a condition holds in a stream, and which lines show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from triage.logs.lines import Seen
from triage.logs.tracebacks import raised_again
from triage.matching.hits import Hits, Path
from triage.model.signature import AllOf, AnyOf, Condition, Contains, NoneOf, Occurrence, Regex, Sequence


@dataclass(frozen=True, slots=True)
class Holds:
    """`evidence` are the kept hits of the evidence condition; empty under `none`. `rest` are the other lines."""

    evidence: tuple[Path, ...] = ()
    count: int = 0
    rest: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Fails:
    """`condition` is the first one that does not hold."""

    condition: Condition


# Headings of processes that print at once stand so close together, and differ in numbers only.
_NEAR = 40
_NUMBER = re.compile(r"\d+")

HitsOf = Callable[[Contains | Regex | Sequence], Hits]
Allowed = Callable[[Seen], bool]


def holds(
    condition: Condition, stream: str, hits_of: HitsOf, allowed: Allowed, occurrence: Occurrence
) -> Holds | Fails:
    """`allowed` says of a line whether the signature's scope lets it count."""

    def decide(inner: Condition) -> Holds | Fails:
        return holds(inner, stream, hits_of, allowed, occurrence)

    match condition:
        case Contains() | Regex() | Sequence():
            where = None if _anywhere(condition) else stream
            hits = hits_of(condition)
            paths = tuple(path for path in hits.paths(where) if allowed(path[-1]))
            return Holds(paths, hits.count(where)) if paths else Fails(condition)
        case AllOf():
            return _all([decide(inner) for inner in condition.conditions], occurrence)
        case AnyOf():
            held = [decided for decided in map(decide, condition.conditions) if isinstance(decided, Holds)]
            if not held:
                return Fails(condition)
            # Of those that end in one line, the longest: it holds the heading.
            found = sorted((path for decided in held for path in decided.evidence), key=len)
            merged = {id(path[-1]): path for path in found}
            return Holds(tuple(merged.values()), max(decided.count for decided in held), held[0].rest)
        case NoneOf():
            broken = any(isinstance(decide(inner), Holds) for inner in condition.conditions)
            return Fails(condition) if broken else Holds()


def _all(decided: list[Holds | Fails], occurrence: Occurrence) -> Holds | Fails:
    rest: list[Seen] = []
    evidence: Holds | None = None
    for one in decided:
        if isinstance(one, Fails):
            return one
        if evidence is None and one.evidence:
            evidence = one
        elif one.evidence:
            rest += pick(one.evidence, occurrence)
        rest += one.rest
    if evidence is None:
        return Holds()
    return Holds(evidence.evidence, evidence.count, tuple(rest))


def pick(paths: tuple[Path, ...], occurrence: Occurrence) -> Path:
    choose = min if occurrence is Occurrence.FIRST else max
    return choose(_telling(paths), key=lambda path: path[-1].number)


def _telling(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Without the headings: lines of a sequence, which its evidence says better, and exceptions that are raised again
    above their own text."""
    longer = [path for path in paths if len(path) > 1]
    kept = tuple(path for path in paths if len(path) > 1 or not any(_heads(path[-1], one) for one in longer))
    return tuple(path for path in kept if not raised_again(path[-1].text)) or kept or paths


def _heads(seen: Seen, path: Path) -> bool:
    """Whether the line stands within the sequence, or near above it as another process printed its heading."""
    numbers = [one.number for one in path]
    if seen.parsed.stream != path[-1].parsed.stream:
        return False
    if min(numbers) <= seen.number <= max(numbers):
        return True
    near = min(numbers) - _NEAR <= seen.number < min(numbers)
    return near and any(_NUMBER.sub("", seen.text) == _NUMBER.sub("", one.text) for one in path[:-1])


def _anywhere(condition: Contains | Regex | Sequence) -> bool:
    return not isinstance(condition, Sequence) and condition.anywhere


def evidence_leaves(condition: Condition) -> Iterator[Contains | Regex | Sequence]:
    """The leaves one of which gives the evidence line."""
    match condition:
        case Contains() | Regex() | Sequence():
            yield condition
        case AllOf():
            first = next((inner for inner in condition.conditions if not isinstance(inner, NoneOf)), None)
            if first is not None:
                yield from evidence_leaves(first)
        case AnyOf():
            for inner in condition.conditions:
                yield from evidence_leaves(inner)
        case NoneOf():
            return
