"""Of commands that only assumptions tell apart, those that are likely to have run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Condition

_GUARD = re.compile(r"(?:\[\[?|test)\s+(?P<operator>-n|-z)\s")


def likely(every: Sequence[Invocation]) -> list[Invocation]:
    """Without those that ran only if a variable was empty that, in another run of the same command, is filled.

    Scripts guard with `[ -n "$name" ]` what a program prints; the empty case is an error that ends in another message.
    """
    filled: dict[tuple[object, ...], set[tuple[str, int]]] = {}
    for one in every:
        tests = {(test.test, test.line) for test in one.assumptions if _says_filled(test)}
        if tests:
            filled.setdefault(_place(one), set()).update(tests)
    return [one for one in every if _place(one) not in filled or filled[_place(one)] <= _own(one)]


def _own(one: Invocation) -> set[tuple[str, int]]:
    return {(test.test, test.line) for test in one.conditions if _says_filled(test)}


def _place(one: Invocation) -> tuple[object, ...]:
    return (one.step, one.combination, one.calls[-1].key)


def _says_filled(test: Condition) -> bool:
    found = _GUARD.search(test.test)
    return found is not None and test.holds is (found["operator"] == "-n")
