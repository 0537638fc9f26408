"""Finds the lines that matter in a stream of blocks, without an object for any other line.

First one set over the whole block says which patterns occur in it; then one pattern, the alternation of all that
occurred in this log so far and of the landmarks, jumps from candidate line to candidate line; only those are parsed
and given to the exact set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from triage.logs.blocks import Block
from triage.logs.cleaning import visible
from triage.logs.columns import Columns, columns
from triage.logs.lines import Parsed, Seen, last_stamp, parse
from triage.matching.patterns import Patterns

_SCRIPT_COLOUR = b"\x1b[36;1m"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line, and the numbers of the exact patterns that its text matches."""

    seen: Seen
    numbers: tuple[int, ...]


def candidates(
    blocks: Iterable[Block], patterns: Patterns, attentive: Callable[[], bool], in_columns: bool = False
) -> Iterator[Candidate]:
    """In the order of the text. While `attentive()` is true every line is a candidate."""
    active: frozenset[int] = frozenset()
    carried = _Carried()
    for block in blocks:
        shown = visible(block.raw)
        occurring = [n for n in patterns.block_set.Match(shown) or () if n < patterns.wanted]
        if not active.issuperset(occurring):
            active |= frozenset(occurring)
        locator = patterns.locator(active)
        place = _Place(block, shown, carried)
        at = 0
        while at < len(shown):
            if in_columns or attentive():
                start = at
            else:
                found = locator.search(shown, at)
                if found is None:
                    break
                start = shown.rfind(b"\n", at, found.start()) + 1 or at
            end = shown.find(b"\n", start)
            end = len(shown) if end < 0 else end
            seen = place.seen(start, end, in_columns)
            numbers = patterns.line_set.Match(seen.parsed.text) or ()
            yield Candidate(seen, tuple(numbers))
            at = end + 1
        place.leave()


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

    def seen(self, start: int, end: int, in_columns: bool) -> Seen:
        self._move(start)
        line, carried = self._shown[start:end], self._carried
        if in_columns:
            carried.columns = columns(line, carried.columns)
        parsed = self._parsed(line)
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

    def _parsed(self, line: bytes) -> Parsed:
        if self._block.piece > 1:
            return replace(self._carried.piece, text=line)
        parsed = parse(line, self._carried.columns.end)
        if self._block.piece == 1:
            self._carried.piece = parsed
        return parsed

    def _move(self, start: int) -> None:
        """To a line further down. The last stamp that is passed is kept, for lines that have none."""
        passed = self._shown.count(b"\n", self._shown_at, start)
        if passed > 1:
            self._pass_stamps(start)
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
