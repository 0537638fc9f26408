"""Rates with their uncertainty."""

from __future__ import annotations

from math import sqrt

from triage.model.finding import Rate

Z95 = 1.959963984540054
MINIMUM_N = 10


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval for `k` of `n`, without continuity correction; (0, 1) when n is 0.

    Its coverage is near the nominal one on average over p, not at every p: tests/flakiness reports both.
    """
    if n == 0:
        return 0.0, 1.0
    p, zz = k / n, z * z
    centre = (p + zz / (2 * n)) / (1 + zz / n)
    half = z * sqrt(p * (1 - p) / n + zz / (4 * n * n)) / (1 + zz / n)
    # At the ends the formula gives 0 and 1 exactly, but for rounding.
    return (0.0 if k == 0 else max(0.0, centre - half)), (1.0 if k == n else min(1.0, centre + half))


def rate(k: int, n: int, minimum: int = MINIMUM_N) -> Rate:
    """`k` of `n` as a Rate; ValueError when that is no share."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no share")
    low, high = wilson(k, n)
    return Rate(int(k), int(n), low, high, n >= minimum)
