"""Which of very many patterns may match a text, and which do: RE2's prefilter, in as many automata as it takes."""

from __future__ import annotations

from collections.abc import Sequence

import re2

from triage.matching.sieves import options

# RE2 gives the automaton of a filter a fixed memory. It is asked for fewer patterns than it mostly holds: finding out
# that they do not fit takes as long as compiling them. A second automaton reads every text once more.
_MOST = 2000
# With a newline, so that no line holds it.
_SENTINEL = b"no line\nholds this"


class RefusedError(Exception):
    """The pattern of this number is none to RE2, or `too_large`: no automaton holds it, not even alone."""

    def __init__(self, number: int, too_large: bool) -> None:
        super().__init__(f"pattern {number}")
        self.number = number
        self.too_large = too_large


class Prefilter:
    """Patterns are numbered from 0, as given. Raises RefusedError."""

    def __init__(self, patterns: Sequence[bytes], most: int = _MOST) -> None:
        self._parts: list[tuple[int, int, re2.Filter]] = []
        for start in range(0, max(len(patterns), 1), most):
            self._hold(patterns[start : start + most], start)

    def _hold(self, patterns: Sequence[bytes], start: int) -> None:
        """In one automaton, or in two where one is too small."""
        filter_ = _compiled(patterns, start)
        if filter_ is not None:
            self._parts.append((start, len(patterns), filter_))
            return
        if len(patterns) < 2:
            raise RefusedError(start, too_large=True)
        half = len(patterns) // 2
        self._hold(patterns[:half], start)
        self._hold(patterns[half:], start + half)

    def possible(self, text: bytes) -> list[int]:
        """Those whose required literals all occur in the text; always those that require none."""
        return self._found(text, True)

    def matching(self, text: bytes) -> list[int]:
        return self._found(text, False)

    def _found(self, text: bytes, potential: bool) -> list[int]:
        found = []
        for start, size, filter_ in self._parts:
            # Its last one is the sentinel, which a stretch of lines may hold after all.
            found += [start + number for number in filter_.Match(text, potential) or () if number < size]
        return found


def _compiled(patterns: Sequence[bytes], start: int) -> re2.Filter | None:
    """An automaton that does not fit in memory finds nothing and says nothing: so it is asked. None for such a one."""
    filter_, chosen = re2.Filter(), options()
    for number, pattern in enumerate(patterns, start):
        try:
            filter_.Add(pattern, chosen)
        except re2.error as error:
            raise RefusedError(number, too_large=False) from error
    sentinel = filter_.Add(_SENTINEL, chosen)
    try:
        filter_.Compile()
    except re2.error:
        return None
    return filter_ if sentinel in (filter_.Match(_SENTINEL, True) or ()) else None
