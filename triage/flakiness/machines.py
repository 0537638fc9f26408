"""Machines: which runner or pool fails more than its peers, and how long jobs wait for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from triage.flakiness.exact import holm, stratified
from triage.flakiness.intervals import rate
from triage.model.finding import Attribution, Suspect
from triage.model.history import QueueCount, RunnerStratum
from triage.model.report import QueueRow

# The chance of accusing any innocent machine in one report.
LEVEL = 0.05
# A unit with fewer attempts is not tested: it could not be found guilty, and would make the correction harsher.
FEWEST = 5

Stratum = tuple[str, str, str, int]  # what a unit is compared within: pool (or ""), workflow, job, week


@dataclass(frozen=True, slots=True)
class _Unit:
    name: str
    pool: str
    settled: int
    failed: int
    strata: tuple[tuple[int, int, int], ...]  # total, failed, drawn
    expected: float
    p: float


def suspect_runners(strata: Sequence[RunnerStratum], days: int, minimum: int) -> Attribution:
    """Runners against the others of their pool, on the same jobs in the same weeks."""
    return _attribute(
        strata,
        lambda row: (row.runner, row.pool),
        lambda row: (row.pool, row.workflow, row.job, row.week),
        days,
        minimum,
    )


def suspect_pools(strata: Sequence[RunnerStratum], days: int, minimum: int) -> Attribution:
    """Pools against other pools that ran the same jobs in the same weeks; a job of one pool only says nothing."""
    return _attribute(
        strata, lambda row: (row.pool, row.pool), lambda row: ("", row.workflow, row.job, row.week), days, minimum
    )


def _attribute(
    strata: Sequence[RunnerStratum],
    unit_of: Callable[[RunnerStratum], tuple[str, str]],
    stratum_of: Callable[[RunnerStratum], Stratum],
    days: int,
    minimum: int,
) -> Attribution:
    totals = _totals(strata, stratum_of)
    ordered = sorted(strata, key=unit_of)
    units = [_unit(key, tuple(rows), totals, stratum_of) for key, rows in groupby(ordered, key=unit_of)]
    tested = [unit for unit in units if unit.settled >= FEWEST and unit.strata]
    adjusted = holm([unit.p for unit in tested])
    found = [_suspect(unit, p, minimum) for unit, p in zip(tested, adjusted, strict=True) if p <= LEVEL]
    return Attribution(tuple(sorted(found, key=lambda suspect: suspect.p)), len(tested), LEVEL, days)


def _totals(
    strata: Sequence[RunnerStratum], stratum_of: Callable[[RunnerStratum], Stratum]
) -> Mapping[Stratum, tuple[int, int]]:
    totals: dict[Stratum, tuple[int, int]] = {}
    for row in strata:
        settled, failed = totals.get(stratum_of(row), (0, 0))
        totals[stratum_of(row)] = settled + row.settled, failed + row.failed
    return totals


def _unit(
    key: tuple[str, str],
    rows: Sequence[RunnerStratum],
    totals: Mapping[Stratum, tuple[int, int]],
    stratum_of: Callable[[RunnerStratum], Stratum],
) -> _Unit:
    own: dict[Stratum, tuple[int, int]] = {}
    for row in rows:
        drawn, failed = own.get(stratum_of(row), (0, 0))
        own[stratum_of(row)] = drawn + row.settled, failed + row.failed
    compared = {name: drawn for name, (drawn, _) in own.items() if drawn < totals[name][0]}
    # Sorted: the last digits of a sum depend on its order, and the order of rows on the database.
    strata = tuple(sorted((*totals[name], drawn) for name, drawn in compared.items()))
    failed = sum(own[name][1] for name in compared)
    expected = sum(bad * drawn / total for total, bad, drawn in strata)
    # Most units fail no more than expected: their p is large, and need not be known.
    p = stratified(strata, failed) if failed > expected else 1.0
    return _Unit(*key, sum(compared.values()), failed, strata, expected, p)


def _suspect(unit: _Unit, adjusted: float, minimum: int) -> Suspect:
    peers = sum(total - drawn for total, _, drawn in unit.strata)
    peers_failed = sum(failed for _, failed, _ in unit.strata) - unit.failed
    return Suspect(
        name=unit.name,
        pool=unit.pool,
        failing=rate(unit.failed, unit.settled, minimum),
        peers=rate(peers_failed, peers, minimum),
        expected=unit.expected,
        p=unit.p,
        adjusted=adjusted,
    )


def queues(now: Sequence[QueueCount], before: Sequence[QueueCount]) -> tuple[QueueRow, ...]:
    """By pool, the longest p90 first. Quantiles are exact: the smallest wait that this share did not exceed."""
    earlier = {pool: quantile(counts, 0.9) for pool, counts in _by_pool(before).items()}
    rows = [
        QueueRow(pool, sum(counts.values()), quantile(counts, 0.5), quantile(counts, 0.9), earlier.get(pool))
        for pool, counts in _by_pool(now).items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.p90, row.pool)))


def _by_pool(counts: Sequence[QueueCount]) -> Mapping[str, Mapping[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for row in counts:
        found.setdefault(row.pool, {})[row.seconds] = row.jobs
    return found


def quantile(counts: Mapping[int, int], share: float) -> int:
    """The smallest value with at least `share` of the counts at or below it."""
    needed, running = share * sum(counts.values()), 0
    for value in sorted(counts):
        running += counts[value]
        if running >= needed:
            return value
    raise ValueError("a quantile of nothing")
