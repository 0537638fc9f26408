"""Change points in a job's failure rate, by Bayes factors of one constant rate against two.

The failures of a segment are binomial with one rate under a Beta(1/2, 1/2) prior. A split at every day with results is
weighed against no split; splits share a prior of PRIOR in all. A series is split at its likeliest day while the
posterior of a split exceeds THRESHOLD, and the parts are looked at again. Calibration is by simulation, in
tests/flakiness/test_truth.py: false alarms per 1,000 flat series, and the delay after planted changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.flakiness.intervals import MINIMUM_N, rate
from triage.model.finding import ChangePoint
from triage.model.history import date_of

PRIOR = 0.5
THRESHOLD = 0.95
CREDIBLE = 0.95
_HALF = 0.5

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class DayCount(NamedTuple):
    day: int
    failed: int
    settled: int


class _Split(NamedTuple):
    first: int  # the first day after the change
    low: int
    high: int
    probability: float


def change_points(series: Sequence[DayCount], minimum: int = MINIMUM_N) -> tuple[ChangePoint, ...]:
    """Every change in a series of days in order (those without results left out), oldest first.

    `before` and `after` are the rates of the neighbouring segments, between this change and the next ones.
    """
    days = np.asarray([count.day for count in series], dtype=np.int64)
    failed = np.asarray([count.failed for count in series], dtype=np.int64)
    settled = np.asarray([count.settled for count in series], dtype=np.int64)
    splits = sorted(_segment(failed, settled, 0, len(series)))
    bounds = [0, *(split.first for split in splits), len(series)]
    points = []
    for place, split in enumerate(splits):
        start, end = bounds[place], bounds[place + 2]
        points.append(
            ChangePoint(
                day=date_of(int(days[split.first])),
                earliest=date_of(int(days[split.low])),
                latest=date_of(int(days[split.high])),
                before=rate(int(failed[start : split.first].sum()), int(settled[start : split.first].sum()), minimum),
                after=rate(int(failed[split.first : end].sum()), int(settled[split.first : end].sum()), minimum),
                probability=split.probability,
            )
        )
    return tuple(points)


def _segment(failed: Ints, settled: Ints, start: int, end: int) -> list[_Split]:
    split = _best_split(failed[start:end], settled[start:end])
    if split is None or split.probability < THRESHOLD:
        return []
    found = _Split(split.first + start, split.low + start, split.high + start, split.probability)
    return [*_segment(failed, settled, start, found.first), found, *_segment(failed, settled, found.first, end)]


def _best_split(failed: Ints, settled: Ints) -> _Split | None:
    """The likeliest first day of a new rate, its shortest interval by posterior, and the posterior of any split."""
    if len(failed) < 2 or failed.sum() == 0 or failed.sum() == settled.sum():
        return None
    k, n = np.cumsum(failed), np.cumsum(settled)
    logs = _log_gammas(int(n[-1]))
    left = _evidence(k[:-1], n[:-1], logs)
    right = _evidence(k[-1] - k[:-1], n[-1] - n[:-1], logs)
    factors = left + right - _evidence(k[-1:], n[-1:], logs)[0]
    peak = float(factors.max())
    weights = np.exp(factors - peak)
    log_odds = np.log(PRIOR / (1 - PRIOR)) + peak + np.log(weights.mean())
    low, high = _interval(weights / weights.sum())
    probability = float(1 / (1 + np.exp(-log_odds)))
    return _Split(int(factors.argmax()) + 1, low + 1, high + 1, probability)


def _interval(posterior: Floats) -> tuple[int, int]:
    """The span of the likeliest positions that together hold CREDIBLE of the posterior."""
    order = np.argsort(posterior)[::-1]
    needed = int(np.searchsorted(np.cumsum(posterior[order]), CREDIBLE)) + 1
    kept = order[:needed]
    return int(kept.min()), int(kept.max())


class _LogGammas(NamedTuple):
    half: Floats  # log Gamma(i + 1/2) - log Gamma(1/2)
    whole: Floats  # log Gamma(i + 1)


def _log_gammas(top: int) -> _LogGammas:
    steps = np.arange(top, dtype=np.float64)
    half = np.concatenate(([0.0], np.cumsum(np.log(steps + _HALF))))
    whole = np.concatenate(([0.0], np.cumsum(np.log(steps + 1))))
    return _LogGammas(half, whole)


def _evidence(k: Ints, n: Ints, logs: _LogGammas) -> Floats:
    """Log marginal likelihood of k failures of n, up to the binomial factor, under Beta(1/2, 1/2)."""
    return np.asarray(logs.half[k] + logs.half[n - k] - logs.whole[n])
