"""Of commands that only assumptions tell apart, those that are likely to have run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Condition

_GUARD = re.compile(r"(?:\[\[?|test)\s+(?P<operator>-n|-z)\s")


def unlikely(invocation: Invocation, every: Sequence[Invocation]) -> bool:
    """Whether it ran only if a variable was empty that, in another run of the same command, is filled.

    Scripts guard with `[ -n "$name" ]` what a program prints; the empty case is an error that ends in another message.
    """
    others = [one for one in every if one is not invocation and _same_place(one, invocation)]
    own = {(test.test, test.line) for test in invocation.conditions if _says_filled(test)}
    return any((test.test, test.line) not in own for one in others for test in one.assumptions if _says_filled(test))


def _same_place(one: Invocation, other: Invocation) -> bool:
    return (one.step, one.combination) == (other.step, other.combination) and one.calls[-1].key == other.calls[-1].key


def _says_filled(test: Condition) -> bool:
    found = _GUARD.search(test.test)
    return found is not None and test.holds is (found["operator"] == "-n")
