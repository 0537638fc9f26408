"""Exact tests: no normal approximations, since the counts of a week are small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@cache
def log_factorial(n: int) -> float:
    return lgamma(n + 1)


def log_choose(n: int, k: int) -> float:
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def hypergeometric(total: int, failed: int, drawn: int) -> Floats:
    """P(X = x) for x = 0..min(failed, drawn): failures among `drawn` of `total`, of which `failed` failed."""
    top = min(failed, drawn)
    floor = max(0, drawn - (total - failed))
    whole = log_choose(total, drawn)
    masses = [
        exp(log_choose(failed, x) + log_choose(total - failed, drawn - x) - whole) if x >= floor else 0.0
        for x in range(top + 1)
    ]
    return np.asarray(masses)


def stratified(strata: Iterable[tuple[int, int, int]], observed: int) -> float:
    """One-sided exact p: P(sum of X >= observed), X hypergeometric in each stratum (total, failed, drawn).

    This is the exact conditional test of a common odds ratio of 1 over strata: given how many failed in each stratum,
    were they dealt to this unit at random? It stays exact however correlated the failures are, as long as which
    machine a job lands on is chance within a stratum.
    """
    distribution = np.ones(1)
    for total, failed, drawn in strata:
        if failed and 0 < drawn < total:
            distribution = np.convolve(distribution, hypergeometric(total, failed, drawn))
        elif failed and drawn == total:
            observed -= failed  # all of the stratum is this unit's: it says nothing
    if observed <= 0:
        return 1.0
    return float(min(1.0, distribution[observed:].sum()))


def fisher_less(k: int, n: int, before_k: int, before_n: int) -> float:
    """One-sided Fisher exact p that `k` of `n` is as low as that by chance, against `before_k` of `before_n`."""
    distribution = hypergeometric(n + before_n, k + before_k, n)
    return float(min(1.0, distribution[: k + 1].sum()))


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X >= k) for n trials at p."""
    if k <= 0:
        return 1.0
    if p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    return float(min(1.0, sum(exp(log_choose(n, x) + x * log(p) + (n - x) * log(1 - p)) for x in range(k, n + 1))))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p, in the order given: at most `level` chance that any true null falls under `level`."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return tuple(adjusted)
