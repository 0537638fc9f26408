"""What most of several have in common, where that says which one is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)


def foremost(found: Iterable[_T]) -> tuple[_T, int] | None:
    """What comes most often, and how often; None for nothing, and where two come as often. `found` may be counted
    already."""
    ranked = Counter(found).most_common(2)
    tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return ranked[0] if ranked and not tied else None
