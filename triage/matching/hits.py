"""What a pass keeps of the lines that patterns hit: counts of all, the lines of few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.logs.lines import Seen

# Kept hits of one pattern in one stream of one step: the first ones, and the last.
_FIRST = 4
# Streams and steps of which a pattern's hits are kept apart; hits in further ones are counted.
_MOST_PLACES = 64

Path = tuple[Seen, ...]


@dataclass(slots=True)
class _Kept:
    first: list[Path] = field(default_factory=list)
    last: Path | None = None


@dataclass(slots=True)
class Hits:
    """Of one leaf (a path is one line) or one sequence (a path holds all its lines), in the order of the text.

    The evidence stands last in a path.
    """

    counts: dict[str, int] = field(default_factory=dict)
    # Hits in further streams and steps, of which only the last line is kept.
    beyond: int = 0
    _last_beyond: Path | None = None
    _places: dict[tuple[str, int], _Kept] = field(default_factory=dict)
    _last_line: int = 0

    def add(self, path: Path, mark: int) -> None:
        """`mark` counts the steps begun before. The pieces of one very long line count once."""
        line, stream = path[-1].number, path[-1].parsed.stream
        if line == self._last_line:
            return
        self._last_line = line
        place = (stream, mark)
        kept = self._places.get(place)
        if kept is None:
            if len(self._places) >= _MOST_PLACES:
                self.beyond += 1
                self._last_beyond = path
                return
            kept = self._places[place] = _Kept()
        self.counts[stream] = self.counts.get(stream, 0) + 1
        if len(kept.first) < _FIRST:
            kept.first.append(path)
        else:
            kept.last = path

    @property
    def streams(self) -> tuple[str, ...]:
        return tuple(self.counts)

    def paths(self, stream: str | None) -> Iterator[Path]:
        """The kept hits of one stream; of all streams for None."""
        for (named, _), kept in self._places.items():
            if stream is None or named == stream:
                yield from kept.first
                if kept.last:
                    yield kept.last
        if self._last_beyond and stream in (None, self._last_beyond[-1].parsed.stream):
            yield self._last_beyond

    def count(self, stream: str | None) -> int:
        return sum(self.counts.values()) if stream is None else self.counts.get(stream, 0)


class SequenceTracker:
    """Follows one sequence through the text, stream by stream, in constant space.

    For every length it keeps the partial sequence that started last: whatever completes an earlier one within the
    limit completes this one too.
    """

    def __init__(self, numbers: tuple[int, ...], within_lines: int, shows_first: bool = False) -> None:
        self.hits = Hits()
        self._numbers = numbers
        self.within = within_lines
        self._shows_first = shows_first
        self._partial: dict[str, list[Path]] = {}

    def begins_with(self, numbers: frozenset[int]) -> bool:
        return self._numbers[0] in numbers

    def see(self, seen: Seen, numbers: frozenset[int], mark: int) -> None:
        stream = seen.parsed.stream
        if stream not in self._partial:
            if len(self._partial) >= _MOST_PLACES or self._numbers[0] not in numbers:
                return
            self._partial[stream] = [() for _ in self._numbers]
        partial = self._partial[stream]
        # From the last position to the first: one line takes one position only.
        for position in range(len(self._numbers) - 1, -1, -1):
            if self._numbers[position] not in numbers:
                continue
            if position == 0:
                partial[0] = (seen,)
            elif (before := partial[position - 1]) and self._follows(before, seen):
                partial[position] = (*before, seen)
        if (path := partial[-1]) and path[-1] is seen:
            self.hits.add((*path[1:], path[0]) if self._shows_first else path, mark)

    def _follows(self, before: Path, seen: Seen) -> bool:
        return before[-1].number < seen.number <= before[0].number + self.within
