"""Automata that are compiled from a few patterns when a log turns out to need them, and RE2's options for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import re2

from triage.matching.relaxation import relax

# For the states of one automaton. RE2 drops its states and starts anew when they do not fit, which costs time only.
_MEMORY = 8 << 20
# Compiling pays for what comes again and again; more patterns than this multiply their states.
_OFTEN, _MOST_PATTERNS, _MOST_SIEVES, _MOST_COUNTED = 16, 8, 128, 4096


def options(**settings: bool) -> re2.Options:
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = _MEMORY
    for name, value in settings.items():
        setattr(chosen, name, value)
    return chosen


def any_of(patterns: Iterable[str]) -> re2._Regexp:
    chosen = options(never_nl=True, never_capture=True)
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode(), chosen)


class Sieves:
    """What a pattern requires is often less than it says (any line of `scheduler.py:7` for one that names a file).

    Where the same few patterns are possible time and again, one automaton of them, relaxed so that it runs over whole
    lines, tells which lines they may really match.
    """

    def __init__(self) -> None:
        self._asked: dict[tuple[int, ...], int] = {}
        self._compiled: dict[tuple[int, ...], re2._Regexp] = {}

    def of(self, possible: tuple[int, ...], texts: Sequence[str], weak: Sequence[int]) -> re2._Regexp | None:
        """`weak` patterns are always possible: they are left out."""
        found = self._compiled.get(possible)
        if found is not None or len(possible) > len(weak) + _MOST_PATTERNS:
            return found
        asked = self._asked.get(possible, 0) + 1
        if asked == 1 and len(self._asked) >= _MOST_COUNTED:
            return None
        self._asked[possible] = asked
        if asked < _OFTEN or len(self._compiled) >= _MOST_SIEVES:
            return None
        sieve = any_of(relax(texts[number]) for number in possible if number not in weak)
        self._compiled[possible] = sieve
        return sieve
