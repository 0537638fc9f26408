"""Finds the lines that matter in a stream of blocks, without an object for any other line.

One automaton over all literals that the patterns require runs over a block, then over small stretches of it, then over
the lines of those stretches where it found something: what is left are few lines with few possible patterns, and each
pattern decides for itself on the line's text. (One set of all patterns would need no second look, but its states
multiply: with the catalogue's patterns it ran a thousand times slower.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import re2

from triage.logs.blocks import Block
from triage.logs.cleaning import visible
from triage.logs.columns import Columns, columns
from triage.logs.lines import Parsed, Seen, last_stamp, parse
from triage.matching.patterns import Patterns

_SCRIPT_COLOUR = b"\x1b[36;1m"
# About twenty lines: few enough that most stretches of a failing log hold nothing that any pattern requires.
_STRETCH = 2048


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line, and the numbers of the patterns that match its text.

    `located` is whether the line may hold a landmark, or was asked for by an attentive reader.
    """

    seen: Seen
    numbers: tuple[int, ...]
    located: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines that were not looked at, from `start` to `end` of a visible block: all that they may hit is full already.

    `possible` are the patterns that they may match, those without a required text apart; `stamp` is that of the line
    before them.
    """

    block: Block
    shown: bytes
    start: int
    end: int
    possible: frozenset[int]
    stamp: bytes

    def lines(self, patterns: Patterns) -> Iterator[tuple[Seen, tuple[int, ...]]]:
        """Each line, and the numbers of the patterns that match it, as a candidate would have them."""
        carried = _Carried()
        carried.stamp = self.stamp
        place, at = _Place(self.block, self.shown, carried), self.start
        while at < self.end:
            end = self.shown.find(b"\n", at, self.end)
            end = self.end if end < 0 else end
            parsed = place.parsed(self.shown[at:end], False)
            if numbers := patterns.matching(parsed.text):
                yield place.seen(at, parsed), numbers
            at = end + 1


def candidates(
    blocks: Iterable[Block],
    patterns: Patterns,
    attentive: Callable[[], bool],
    in_columns: bool = False,
    full: Callable[[], frozenset[int]] = frozenset,
    skip: Callable[[Skipped], None] | None = None,
) -> Iterator[Candidate]:
    """In the order of the text. While `attentive()` is true every line is a candidate.

    `full()` are patterns whose next hits need not be known at once: lines that may hit no others go to `skip`.
    """
    carried = _Carried()
    for block in blocks:
        shown = visible(block.raw)
        # Pieces of one line are looked at together, columns on every line.
        skipping = _Skipping(block, shown, carried, patterns, full, None if in_columns or block.piece else skip)
        upcoming = Upcoming(shown, possible_lines(shown, patterns, skipping.skips), patterns.locator)
        skipping.upcoming = upcoming
        place = _Place(block, shown, carried)
        if block.piece == 1:
            place.parsed(shown, in_columns)
        at = 0
        while at < len(shown):
            asked = in_columns or attentive()
            start = at if asked else upcoming.start(at)
            if start >= len(shown):
                break
            end = shown.find(b"\n", start)
            end = len(shown) if end < 0 else end
            at = end + 1
            parsed = place.parsed(shown[start:end], in_columns)
            numbers = patterns.matching(parsed.text)
            located = asked or upcoming.located == start
            if numbers or located:
                yield Candidate(place.seen(start, parsed), numbers, located)
        place.leave()


def matched_lines(shown: bytes, patterns: Patterns) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Matching alone, on lines that need no parsing: where each line starts that a pattern matches, and which do."""
    upcoming, at = Upcoming(shown, possible_lines(shown, patterns), patterns.weak_locator), 0
    while (start := upcoming.start(at)) < len(shown):
        end = shown.find(b"\n", start)
        end = len(shown) if end < 0 else end
        if found := patterns.matching(shown[start:end]):
            yield start, found
        at = end + 1


def possible_lines(
    shown: bytes, patterns: Patterns, skips: Callable[[int, int, Sequence[int]], bool] | None = None
) -> Iterator[int]:
    """Where lines start that some pattern may match: they hold all that it requires.

    `skips` may take a stretch of lines that hold what some patterns require.
    """
    # The innermost loop of a failing log: bound methods are looked up once.
    occurring, weak = patterns.required.possible, len(patterns.weak)
    if not patterns.possible(shown):
        return
    for start, end in _stretches(shown):
        stretch = shown[start:end]
        possible = occurring(stretch)
        if len(possible) <= weak or (skips is not None and skips(start, end, possible)):
            continue
        if sieve := patterns.sieve(possible):
            yield from (start + at for at in _sieved(stretch, sieve))
            continue
        for line in stretch.removesuffix(b"\n").split(b"\n"):
            possible = occurring(line)
            if len(possible) > weak and ((sieve := patterns.sieve(possible)) is None or sieve.search(line)):
                yield start
            start += len(line) + 1


def _sieved(stretch: bytes, sieve: re2._Regexp) -> Iterator[int]:
    """Where the lines start in which it finds something."""
    at = 0
    while at < len(stretch) and (found := sieve.search(stretch, at)):
        begin, end = found.span()
        yield stretch.rfind(b"\n", at, begin) + 1 or at
        at = stretch.find(b"\n", end) + 1 or len(stretch)


def _stretches(shown: bytes) -> Iterator[tuple[int, int]]:
    """Whole lines, each time about _STRETCH bytes of them."""
    at = 0
    while at < len(shown):
        end = shown.find(b"\n", at + _STRETCH) + 1 or len(shown)
        yield at, end
        at = end


class Upcoming:
    """The next line of a block that is possible, or that the locator finds."""

    def __init__(self, shown: bytes, possible: Iterable[int], locator: re2._Regexp | None) -> None:
        self._shown = shown
        self._starts = iter(possible)
        self._possible = -1
        self.located = -1
        self._locator = locator
        self._at = 0

    def start(self, at: int) -> int:
        """Where it starts, not before `at`; the block's size when there is none."""
        self._at = at
        if self.located < at:
            found = self._locator.search(self._shown, at) if self._locator else None
            self.located = len(self._shown)
            if found is not None:
                self.located = self._shown.rfind(b"\n", at, found.start()) + 1 or at
        while self._possible < at:
            self._possible = next(self._starts, len(self._shown))
        return min(self._possible, self.located)

    def leaves(self, start: int, end: int) -> bool:
        """Whether none of these lines was looked at, nor will be because it is located."""
        return self._at <= start and self.located >= end


class _Skipping:
    """Takes the stretches of a block in which only full patterns may hit."""

    def __init__(
        self,
        block: Block,
        shown: bytes,
        carried: _Carried,
        patterns: Patterns,
        full: Callable[[], frozenset[int]],
        skip: Callable[[Skipped], None] | None,
    ) -> None:
        self._block = block
        self._shown = shown
        self._carried = carried
        self._patterns = patterns
        self._full = full
        self._skip = skip
        self.upcoming: Upcoming | None = None

    def skips(self, start: int, end: int, possible: Sequence[int]) -> bool:
        if self._skip is None or self.upcoming is None or not self.upcoming.leaves(start, end):
            return False
        if not (full := self._full()):
            return False
        others = tuple(number for number in possible if number not in full)
        if others and ((sieve := self._patterns.sieve(others)) is None or sieve.search(self._shown[start:end])):
            return False
        # A line that a weak pattern may match is looked at all the same, and its hits are counted there.
        kept = full.intersection(possible).difference(self._patterns.weak)
        self._skip(Skipped(self._block, self._shown, start, end, kept, self._carried.stamp))
        return True


class _Carried:
    """What the lines before leave for the next ones."""

    def __init__(self) -> None:
        self.stamp = b""
        self.columns = Columns()
        # Of the first piece of a very long line, for its other pieces.
        self.piece = Parsed(b"")


class _Place:
    """Walks through a block's raw and visible lines side by side: cleaning keeps every newline."""

    def __init__(self, block: Block, shown: bytes, carried: _Carried) -> None:
        self._block = block
        self._shown = shown
        self._carried = carried
        self._same = shown == block.raw
        self._number = block.first
        self._shown_at = 0
        self._raw_at = 0
        self._begun = False

    def parsed(self, line: bytes, in_columns: bool) -> Parsed:
        carried = self._carried
        if in_columns:
            carried.columns = columns(line, carried.columns)
        if self._block.piece > 1:
            return replace(carried.piece, text=line)
        parsed = parse(line, carried.columns.end)
        if self._block.piece == 1:
            carried.piece = parsed
        return parsed

    def seen(self, start: int, parsed: Parsed) -> Seen:
        """The line that starts at `start` in the visible block, which is not above the one before."""
        self._move(start)
        carried = self._carried
        carried.stamp = parsed.stamp or carried.stamp
        return Seen(
            self._number,
            self._block.line_offset if self._block.piece else self._block.offset + self._raw_at,
            parsed,
            carried.stamp,
            self._block.raw.find(_SCRIPT_COLOUR, self._raw_at, self._raw_at + 64) >= 0,
            carried.columns.job,
            carried.columns.step,
        )

    def _move(self, start: int) -> None:
        """To a line further down. The last stamp that is passed is kept, for lines that have none."""
        passed = self._shown.count(b"\n", self._shown_at, start)
        # The stamp of the line that was seen last is known; of the block's first line only if that was seen.
        if passed > 1 or (passed and not self._begun):
            self._pass_stamps(start)
        self._begun = True
        self._number += passed
        self._shown_at = start
        if self._same:
            self._raw_at = start
            return
        for _ in range(passed):
            self._raw_at = self._block.raw.index(b"\n", self._raw_at) + 1

    def _pass_stamps(self, end: int) -> None:
        self._carried.stamp = last_stamp(self._shown, self._shown_at, end) or self._carried.stamp

    def leave(self) -> None:
        self._pass_stamps(len(self._shown))
