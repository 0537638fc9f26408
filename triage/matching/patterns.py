"""Compiles the conditions of any number of signatures into automata that RE2 runs in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import re2

from triage.errors import CatalogueError
from triage.logs.landmarks import LANDMARKS, Mark
from triage.matching.conditions import evidence_leaves
from triage.matching.prefilter import Prefilter, RefusedError
from triage.matching.relaxation import relax, shortened, unbounded
from triage.matching.sieves import Sieves, any_of, options
from triage.model.signature import AllOf, AnyOf, Condition, Contains, NoneOf, Regex, Sequence, Signature

T = TypeVar("T")


def leaves(condition: Condition) -> Iterator[Contains | Regex]:
    match condition:
        case Contains() | Regex():
            yield condition
        case AllOf() | AnyOf() | NoneOf():
            for inner in condition.conditions:
                yield from leaves(inner)
        case Sequence():
            yield from condition.lines


def leaves_outside_sequences(condition: Condition) -> Iterator[Contains | Regex]:
    match condition:
        case Contains() | Regex():
            yield condition
        case AllOf() | AnyOf() | NoneOf():
            for inner in condition.conditions:
                yield from leaves_outside_sequences(inner)
        case Sequence():
            return


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
    """Compiled signatures. Not changed by a scan, except that single patterns and sieves are compiled when needed.

    `texts` are the distinct patterns of all leaves and probes; a pattern's number is its index. `required` knows, for
    each, literal texts without which it cannot match, and runs over all of them at once. `weak` are the few patterns
    that require none. `locator` finds the next line that a weak pattern or a landmark may match; `landmarks` decides
    which landmarks a line's text holds. A weak pattern that counts only behind the first line of a sequence is not
    located: while one of the sequences `attended` (by their place) has begun, every line is to be looked at.
    """

    signatures: tuple[Signature, ...]
    probes: Mapping[str, str]
    texts: tuple[str, ...]
    numbers: Mapping[str, int]
    required: Prefilter
    weak: tuple[int, ...]
    locator: re2._Regexp
    weak_locator: re2._Regexp | None
    landmarks: re2.Set
    marks: Mapping[int, Mark]
    leaf_numbers: frozenset[int]
    # Those of probes that are no part of a signature: of their hits, the first and the last are all that counts.
    only_probed: frozenset[int]
    probe_names: Mapping[int, tuple[str, ...]]
    # The distinct sequences, and the numbers of the patterns of their lines.
    sequences: Mapping[Sequence, tuple[int, ...]]
    # Of each signature, by id: the patterns and the sequences (by their place) of which one must have been hit.
    evidence: Mapping[str, tuple[frozenset[int], frozenset[int]]]
    attended: frozenset[int]
    _parts: Mapping[int, tuple[int, ...]]
    # Those of which `required` holds a form that matches more: they are asked themselves, once it does.
    _loose: frozenset[int]
    _singles: dict[int, re2._Regexp] = field(default_factory=dict)
    _sieves: Sieves = field(default_factory=Sieves)

    def __reduce__(self) -> tuple[object, ...]:
        """Automata cannot be sent to another process: it compiles them again."""
        return compile_patterns, (self.signatures, dict(self.probes))

    def possible(self, shown: bytes) -> bool:
        """Whether all that some pattern requires, weak ones apart, occurs somewhere in a stretch of visible lines."""
        return len(self.required.possible(shown)) > len(self.weak)

    def matching(self, text: bytes) -> tuple[int, ...]:
        """The patterns that match a line's text, the weak ones too."""
        found = self.required.matching(text)
        return tuple(n for n in found if n not in self._loose or self.single(n).search(text) is not None)

    def marks_of(self, text: bytes) -> tuple[Mark, ...]:
        found = self.landmarks.Match(text) or ()
        return tuple(self.marks[number] for number in found if number in self.marks)

    def sieve(self, possible: Iterable[int]) -> re2._Regexp | None:
        """Finds, in visible lines that hold what these patterns require, those whose text one of them may match.

        None for patterns that are not often required together, or too many: each line is to be looked at then.
        """
        return self._sieves.of(tuple(possible), self.texts, self.weak)

    def sequences_of(self, numbers: Iterable[int]) -> set[int]:
        """The sequences that one of these patterns is part of, by their place in `sequences`."""
        return {place for number in numbers if number in self._parts for place in self._parts[number]}

    def single(self, number: int) -> re2._Regexp:
        if number not in self._singles:
            self._singles[number] = re2.compile(self.texts[number].encode(), options())
        return self._singles[number]


def compile_patterns(signatures: Iterable[Signature], probes: Mapping[str, str]) -> Patterns:
    """Raises CatalogueError for a pattern that RE2 does not accept, or that matches an empty line."""
    signatures = tuple(signatures)
    named = [(pattern_of(leaf), signature.id) for signature in signatures for leaf in leaves(signature.condition)]
    of_leaves = dict.fromkeys(pattern for pattern, _ in named)
    named += [(pattern, f"probe {name}") for name, pattern in probes.items()]
    owners = dict(reversed(named))
    texts = tuple(dict.fromkeys(pattern for pattern, _ in named))
    numbers = {text: number for number, text in enumerate(texts)}
    forms = tuple(shortened(unbounded(text)) for text in texts)
    required = _prefilter(texts, forms, owners)
    weak = tuple(required.possible(b""))
    decided = [landmark for landmark in LANDMARKS if landmark.exact]
    followers = _followers(signatures, probes)
    relaxed = [relax(texts[number]) for number in weak if texts[number] not in followers]
    ordered = {
        sequence: tuple(numbers[pattern_of(leaf)] for leaf in sequence.lines)
        for signature in signatures
        for sequence in sequences(signature.condition)
    }
    return Patterns(
        signatures=signatures,
        probes=probes,
        texts=texts,
        numbers=numbers,
        required=required,
        weak=weak,
        locator=any_of([*relaxed, *(landmark.locate for landmark in LANDMARKS)]),
        weak_locator=any_of(relaxed) if relaxed else None,
        landmarks=_set([landmark.exact for landmark in decided]),
        marks={index: landmark.mark for index, landmark in enumerate(decided)},
        leaf_numbers=frozenset(numbers[text] for text in of_leaves),
        only_probed=frozenset(numbers[text] for text in probes.values() if text not in of_leaves),
        attended=frozenset(
            place
            for place, sequence in enumerate(ordered)
            if any(numbers[pattern] in weak for pattern in map(pattern_of, sequence.lines) if pattern in followers)
        ),
        probe_names=_grouped((numbers[pattern], name) for name, pattern in probes.items()),
        sequences=ordered,
        evidence={signature.id: _evidence(signature.condition, numbers, tuple(ordered)) for signature in signatures},
        _parts=_grouped((number, place) for place, parts in enumerate(ordered.values()) for number in parts),
        _loose=frozenset(number for number, text in enumerate(texts) if forms[number] != text),
    )


def _evidence(
    condition: Condition, numbers: Mapping[str, int], ordered: tuple[Sequence, ...]
) -> tuple[frozenset[int], frozenset[int]]:
    found = tuple(evidence_leaves(condition))
    single = (numbers[pattern_of(leaf)] for leaf in found if not isinstance(leaf, Sequence))
    return frozenset(single), frozenset(ordered.index(leaf) for leaf in found if isinstance(leaf, Sequence))


def _followers(signatures: Iterable[Signature], probes: Mapping[str, str]) -> frozenset[str]:
    """The patterns that count only behind the first line of a sequence."""
    first: set[str] = set(probes.values())
    later: set[str] = set()
    for signature in signatures:
        for leaf in leaves_outside_sequences(signature.condition):
            first.add(pattern_of(leaf))
        for sequence in sequences(signature.condition):
            first.add(pattern_of(sequence.lines[0]))
            later.update(map(pattern_of, sequence.lines[1:]))
    return frozenset(later - first)


def _grouped(pairs: Iterable[tuple[int, T]]) -> dict[int, tuple[T, ...]]:
    grouped: dict[int, tuple[T, ...]] = {}
    for number, item in pairs:
        grouped[number] = (*grouped.get(number, ()), item)
    return grouped


def _prefilter(texts: tuple[str, ...], forms: tuple[str, ...], owners: Mapping[str, str]) -> Prefilter:
    """`forms` are what it holds of the patterns."""
    try:
        required = Prefilter([form.encode() for form in forms])
    except RefusedError as error:
        text = texts[error.number]
        if error.too_large:
            said = f"{owners[text]}: the pattern {text!r} is too large."
            raise CatalogueError(said, "Shorten its repetitions.") from error
        raise CatalogueError(
            f"{owners[text]}: RE2 does not accept the pattern {text!r}: {_reason(text)}.",
            "RE2 has no lookaround and no backreferences.",
        ) from error
    for number in required.matching(b""):
        text = texts[number]
        raise CatalogueError(f"{owners[text]}: the pattern {text!r} matches an empty line.", "It would hit every line.")
    return required


def _reason(pattern: str) -> str:
    try:
        re2.compile(pattern.encode(), options())
    except re2.error as error:
        said = error.args[0]
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return "it is too large"


def _set(patterns: Iterable[str]) -> re2.Set:
    compiled = re2.Set.SearchSet(options())
    for pattern in patterns:
        compiled.Add(pattern.encode())
    compiled.Compile()
    return compiled
