"""Answers "why did this signature not match this log": the first condition that fails, with the nearest line.

Everything is asked of `scan` itself, about signatures that hold one part of the condition each, so that the answer
cannot drift from what a scan does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from triage.interfaces import LogSource
from triage.logs.blocks import blocks
from triage.logs.encoding import open_utf8
from triage.matching.engine import candidates
from triage.matching.patterns import compile_patterns, leaves
from triage.matching.scanning import scan
from triage.model.log import Line, Match
from triage.model.signature import AllOf, AnyOf, Condition, Contains, NoneOf, Regex, Scope, Sequence, Signature

_WORDS = re.compile(r"[A-Za-z][\w' ]{2,80}\w")
_ESCAPES = re.compile(r"\\[a-zA-Z]|\(\?P<\w{1,80}>|\\")


@dataclass(frozen=True, slots=True)
class NoMatch:
    """`condition` is the one that fails, spelt; `nearest` the line that is closest to it, or that breaks a `none`."""

    signature: str
    condition: str
    reason: str
    nearest: Line | None = None


def explain(signature: Signature, source: LogSource) -> NoMatch | Match:
    """Reads the log a few times. Of several jobs in one input, the first that matches counts."""
    found = _matches(source, [signature])
    if signature.id in found:
        return found[signature.id]
    parts = sorted(_parts(signature.condition), key=lambda part: isinstance(part, NoneOf))
    grown = [AllOf(tuple(parts[: count + 1])) for count in range(len(parts))]
    asked = [_asking(signature, f"grown {index}", condition) for index, condition in enumerate(grown)]
    asked += [_asking(signature, f"alone {index}", part) for index, part in enumerate(parts)]
    found = _matches(source, asked)
    for index, part in enumerate(parts):
        if f"grown {index}" not in found:
            return _failing(signature, part, found.get(f"alone {index}"), found.get(f"grown {index - 1}"), source)
    return NoMatch(signature.id, "scope", "every condition holds, but outside the signature's scope.")


def spell(condition: Condition) -> str:
    """A condition in one line, as a catalogue's author would say it."""
    match condition:
        case Contains():
            return f"contains {condition.text!r}"
        case Regex():
            return f"regex {condition.pattern!r}"
        case AllOf() | AnyOf() | NoneOf():
            name = type(condition).__name__.removesuffix("Of").lower()
            return f"{name} ({'; '.join(spell(inner) for inner in condition.conditions)})"
        case Sequence():
            return (
                f"sequence within {condition.within_lines} lines ({', '.join(spell(leaf) for leaf in condition.lines)})"
            )


def _parts(condition: Condition) -> Iterator[Condition]:
    """The conditions that must all hold."""
    if isinstance(condition, AllOf):
        for inner in condition.conditions:
            yield from _parts(inner)
    else:
        yield condition


def _asking(signature: Signature, name: str, condition: Condition) -> Signature:
    return replace(signature, id=name, condition=condition, scope=Scope())


def _matches(source: LogSource, signatures: list[Signature]) -> dict[str, Match]:
    patterns = compile_patterns(signatures, {})
    found: dict[str, Match] = {}
    for reading in scan(source, patterns):
        for match in reading.matches:
            found.setdefault(match.signature, match)
    return found


def _failing(
    signature: Signature, part: Condition, alone: Match | None, before: Match | None, source: LogSource
) -> NoMatch:
    if isinstance(part, NoneOf):
        broken = _matches(source, [_asking(signature, "broken", AnyOf(part.conditions))]).get("broken")
        return NoMatch(signature.id, spell(part), "a line that must not be there is.", broken.line if broken else None)
    if alone and before:
        streams = f"in {_stream(alone.line)}, the conditions before it in {_stream(before.line)}"
        return NoMatch(signature.id, spell(part), f"holds, but in another stream: {streams}.", alone.line)
    if isinstance(part, Sequence):
        return _failing_sequence(signature, part, source)
    return NoMatch(signature.id, spell(part), "no line holds it.", nearest(part, source))


def _failing_sequence(signature: Signature, part: Sequence, source: LogSource) -> NoMatch:
    asked = [_asking(signature, f"leaf {index}", leaf) for index, leaf in enumerate(part.lines)]
    asked += [
        _asking(signature, str(count), Sequence(part.lines[:count], part.within_lines))
        for count in range(1, len(part.lines))
    ]
    found = _matches(source, asked)
    reached = max((int(name) for name in found if name.isdigit()), default=0)
    missing = part.lines[reached]
    if hit := found.get(f"leaf {reached}"):
        reason = f"its line {reached + 1}, {spell(missing)}, is there, but not in order, stream and distance."
        return NoMatch(signature.id, spell(part), reason, hit.line)
    reason = f"no line holds its line {reached + 1}, {spell(missing)}."
    return NoMatch(signature.id, spell(part), reason, nearest(missing, source))


def _stream(line: Line) -> str:
    return line.stream or "the job's own output"


def nearest(condition: Condition, source: LogSource) -> Line | None:
    """The line that shares most with the words of the condition; None when none shares any."""
    wanted = {word for leaf in leaves(condition) for word in _words(leaf)}
    parts = {pair for word in wanted for pair in _pairs(word)}
    if not parts:
        return None
    best, score = None, 0
    with open_utf8(source) as stream:
        for candidate in candidates(blocks(stream), compile_patterns([], {}), lambda: True):
            text = candidate.seen.parsed.text
            shared = sum(len(part) for part in parts if part in text)
            if shared > score:
                best, score = candidate.seen, shared
    return best.line() if best else None


def _words(leaf: Contains | Regex) -> list[str]:
    text = leaf.text if isinstance(leaf, Contains) else _ESCAPES.sub("\0", leaf.pattern)
    return _WORDS.findall(text)


def _pairs(words: str) -> Iterator[bytes]:
    """Neighbouring words, so that a phrase with one word changed is still near."""
    single = words.split()
    yield from (f"{a} {b}".encode() for a, b in pairwise(single))
    yield from (word.encode() for word in single if len(word) > 3)
