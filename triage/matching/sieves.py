"""Automata that are compiled from a few patterns when a log turns out to need them, and RE2's options for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import re2

from triage.matching.relaxation import relax

# For the states of one automaton. RE2 drops its states and starts anew when they do not fit, which costs time only.
_MEMORY = 8 << 20
# Compiling pays for what comes again and again; more patterns than this multiply their states.
_OFTEN, _MOST_PATTERNS, _MOST_COUNTED = 16, 8, 4096
# What a log of all possible combinations can make them take is 32 MB.
_MOST_SIEVES, _MEMORY_OF_SIEVE = 32, 1 << 20


def options(memory: int = _MEMORY, **settings: bool) -> re2.Options:
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = memory
    for name, value in settings.items():
        setattr(chosen, name, value)
    return chosen


def any_of(patterns: Iterable[str], memory: int = _MEMORY) -> re2._Regexp:
    """Raises re2.error when their program does not fit."""
    chosen = options(memory, never_nl=True, never_capture=True)
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode(), chosen)


class Sieves:
    """What a pattern requires is often less than it says (any line of `scheduler.py:7` for one that names a file).

    Where the same few patterns are possible time and again, one automaton of them, relaxed so that it runs over whole
    lines, tells which lines they may really match.
    """

    def __init__(self) -> None:
        self._asked: dict[tuple[int, ...], int] = {}
        # None: they do not fit.
        self._compiled: dict[tuple[int, ...], re2._Regexp | None] = {}

    def of(self, possible: tuple[int, ...], texts: Sequence[str], weak: Sequence[int]) -> re2._Regexp | None:
        """`weak` patterns are always possible: they are left out."""
        if possible in self._compiled:
            return self._compiled[possible]
        if len(possible) > len(weak) + _MOST_PATTERNS or not self._is_often(possible):
            return None
        try:
            sieve = any_of((relax(texts[number]) for number in possible if number not in weak), _MEMORY_OF_SIEVE)
        except re2.error:
            sieve = None
        self._compiled[possible] = sieve
        return sieve

    def _is_often(self, possible: tuple[int, ...]) -> bool:
        if len(self._compiled) >= _MOST_SIEVES or (possible not in self._asked and len(self._asked) >= _MOST_COUNTED):
            return False
        self._asked[possible] = self._asked.get(possible, 0) + 1
        return self._asked[possible] >= _OFTEN
