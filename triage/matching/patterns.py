"""Compiles the conditions of any number of signatures into sets that RE2 runs in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import re2

from triage.errors import CatalogueError
from triage.logs.landmarks import LANDMARKS, Mark
from triage.matching.relaxation import relax
from triage.model.signature import AllOf, AnyOf, Condition, Contains, NoneOf, Regex, Sequence, Signature

# For the states of one automaton. RE2 drops its states and starts anew when they do not fit, which costs time only.
_MEMORY = 24 << 20
_SENTINEL = "\x01triage\x01"


def options(**settings: bool) -> re2.Options:
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = _MEMORY
    for name, value in settings.items():
        setattr(chosen, name, value)
    return chosen


def leaves(condition: Condition) -> Iterator[Contains | Regex]:
    match condition:
        case Contains() | Regex():
            yield condition
        case AllOf() | AnyOf() | NoneOf():
            for inner in condition.conditions:
                yield from leaves(inner)
        case Sequence():
            yield from condition.lines


def sequences(condition: Condition) -> Iterator[Sequence]:
    match condition:
        case Sequence():
            yield condition
        case AllOf() | AnyOf() | NoneOf():
            for inner in condition.conditions:
                yield from sequences(inner)
        case Contains() | Regex():
            return


def pattern_of(leaf: Contains | Regex) -> str:
    match leaf:
        case Contains():
            return str(re2.escape(leaf.text))
        case Regex():
            return leaf.pattern


@dataclass(slots=True)
class Patterns:
    """Compiled signatures. Not changed by a scan, except that single patterns are compiled when first needed.

    `texts` are the distinct patterns of all leaves, probes and landmarks; a pattern's number is its index.
    `block_set` holds the relaxed patterns of leaves and probes, `line_set` the exact ones of all.
    """

    signatures: tuple[Signature, ...]
    probes: Mapping[str, str]
    texts: tuple[str, ...]
    wanted: int
    numbers: Mapping[str, int]
    block_set: re2.Set
    line_set: re2.Set
    marks: Mapping[int, Mark]
    leaf_numbers: frozenset[int]
    probe_names: Mapping[int, tuple[str, ...]]
    sequences: Mapping[Sequence, tuple[int, ...]]
    _singles: dict[int, re2._Regexp] = field(default_factory=dict)
    _locators: dict[frozenset[int], re2._Regexp] = field(default_factory=dict)

    def __reduce__(self) -> tuple[object, ...]:
        """Automata cannot be sent to another process: it compiles them again."""
        return compile_patterns, (self.signatures, dict(self.probes))

    def marks_of(self, numbers: Iterable[int]) -> tuple[Mark, ...]:
        return tuple(self.marks[number] for number in numbers if number in self.marks)

    def sequences_of(self, numbers: frozenset[int]) -> list[Sequence]:
        """The sequences that one of these patterns is part of."""
        return [sequence for sequence, parts in self.sequences.items() if not numbers.isdisjoint(parts)]

    def single(self, number: int) -> re2._Regexp:
        if number not in self._singles:
            self._singles[number] = re2.compile(self.texts[number].encode(), options())
        return self._singles[number]

    def locator(self, numbers: frozenset[int], with_landmarks: bool = True) -> re2._Regexp:
        """One pattern that finds the next line that any of these, or a landmark, may match."""
        if numbers not in self._locators:
            self._locators.clear()  # each may hold megabytes of states, and the active patterns only grow
            parts = [f"(?:{relax(self.texts[number])})" for number in sorted(numbers)]
            if with_landmarks:
                parts += [f"(?:{landmark.locate})" for landmark in LANDMARKS]
            chosen = options(never_nl=True, never_capture=True)
            self._locators[numbers] = re2.compile("|".join(parts).encode(), chosen)
        return self._locators[numbers]


def compile_patterns(signatures: Iterable[Signature], probes: Mapping[str, str]) -> Patterns:
    """Raises CatalogueError for a pattern that RE2 does not accept, or that matches an empty line."""
    signatures = tuple(signatures)
    named = [(pattern_of(leaf), signature.id) for signature in signatures for leaf in leaves(signature.condition)]
    of_leaves = dict.fromkeys(pattern for pattern, _ in named)
    named += [(pattern, f"probe {name}") for name, pattern in probes.items()]
    owners = dict(reversed(named))
    for pattern, owner in owners.items():
        _check(pattern, owner)
    texts = tuple(dict.fromkeys(pattern for pattern, _ in named))
    numbers = {text: number for number, text in enumerate(texts)}
    landmarks = [landmark for landmark in LANDMARKS if landmark.exact]
    exact = (*texts, *(landmark.exact for landmark in landmarks))
    return Patterns(
        signatures=signatures,
        probes=probes,
        texts=exact,
        wanted=len(texts),
        numbers=numbers,
        block_set=_set([relax(text) for text in texts], options(never_nl=True)),
        line_set=_set(exact, options()),
        marks={len(texts) + index: landmark.mark for index, landmark in enumerate(landmarks)},
        leaf_numbers=frozenset(numbers[text] for text in of_leaves),
        probe_names=_grouped((numbers[pattern], name) for name, pattern in probes.items()),
        sequences={
            sequence: tuple(numbers[pattern_of(leaf)] for leaf in sequence.lines)
            for signature in signatures
            for sequence in sequences(signature.condition)
        },
    )


def _grouped(pairs: Iterable[tuple[int, str]]) -> dict[int, tuple[str, ...]]:
    grouped: dict[int, tuple[str, ...]] = {}
    for number, name in pairs:
        grouped[number] = (*grouped.get(number, ()), name)
    return grouped


def _check(pattern: str, owner: str) -> None:
    try:
        compiled = re2.compile(pattern.encode(), options())
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise CatalogueError(
            f"{owner}: RE2 does not accept the pattern {pattern!r}: {reason}.",
            "RE2 has no lookaround and no backreferences; bounded repeats end at 255.",
        ) from error
    if compiled.search(b""):
        raise CatalogueError(f"{owner}: the pattern {pattern!r} matches nothing at all.", "It would hit every line.")


def _set(patterns: Iterable[str], chosen: re2.Options) -> re2.Set:
    """A compiled set. A set whose automaton does not fit in memory matches nothing and says nothing: so it is asked."""
    compiled = re2.Set.SearchSet(chosen)
    count = 0
    for pattern in patterns:
        count = compiled.Add(pattern.encode()) + 1
    sentinel = compiled.Add(_SENTINEL.encode())
    compiled.Compile()
    if sentinel not in (compiled.Match(_SENTINEL.encode()) or ()):
        raise CatalogueError(
            f"{count} patterns are too large for one automaton.", "Use fewer or smaller bounded repeats."
        )
    return compiled
