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


class TooLargeError(Exception):
    """No automaton holds the pattern of this number, not even alone."""

    def __init__(self, number: int) -> None:
        super().__init__(f"pattern {number} is too large")
        self.number = number


class Prefilter:
    """Patterns are numbered from 0, as given. Raises TooLargeError, and re2.error for what is no pattern."""

    def __init__(self, patterns: Sequence[bytes], most: int = _MOST) -> None:
        self._parts: list[tuple[int, int, re2.Filter]] = []
        for start in range(0, max(len(patterns), 1), most):
            self._hold(patterns[start : start + most], start)

    def _hold(self, patterns: Sequence[bytes], start: int) -> None:
        """In one automaton, or in two where one is too small."""
        filter_ = _compiled(patterns)
        if filter_ is not None:
            self._parts.append((start, len(patterns), filter_))
            return
        if len(patterns) < 2:
            raise TooLargeError(start)
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


def _compiled(patterns: Sequence[bytes]) -> re2.Filter | None:
    """An automaton that does not fit in memory finds nothing and says nothing: so it is asked. None for such a one."""
    filter_ = re2.Filter()
    for pattern in patterns:
        filter_.Add(pattern, options())
    sentinel = filter_.Add(_SENTINEL, options())
    try:
        filter_.Compile()
    except re2.error:
        return None
    return filter_ if sentinel in (filter_.Match(_SENTINEL, True) or ()) else None
