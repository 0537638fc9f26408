"""Jobs: how often each fails, flakes and flips, and what to think of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from triage.flakiness.changes import DayCount, change_points
from triage.flakiness.intervals import rate
from triage.flakiness.money import NO_PRICES, spent
from triage.flakiness.tables import members, sums, table, within
from triage.model.finding import ChangeKind, ChangePoint, Rate, State
from triage.model.history import FlipCount, JobDay, LossDay, Period, RetryDay, Streak, date_of
from triage.model.report import Cell, JobRow, Spent

# A job is broken when its newest results on the base branch failed at least this often in a row.
BROKEN_IN_A_ROW = 5
# It is flaky with at least this many flakes, at this rate or more: one flake proves that it can, not that it does.
FLAKES = 2
FLAKE_RATE = 0.01

_OF_A_STATE = (ChangeKind.DEGRADED, ChangeKind.RECOVERED)

_NOTHING = Spent(0.0)

Key = tuple[str, ...]  # workflow, job


@dataclass(frozen=True, slots=True)
class JobCounts:
    """What a report knows of jobs: days over the whole history, flips and streaks of the period."""

    days: Sequence[JobDay]
    retries: Sequence[RetryDay]
    losses: Sequence[LossDay]
    flips: Sequence[FlipCount]
    streaks: Sequence[Streak]


@dataclass(frozen=True, slots=True)
class JobChange:
    workflow: str
    job: str
    kind: ChangeKind
    point: ChangePoint


def job_rows(
    counts: JobCounts,
    changes: Sequence[JobChange],
    period: Period,
    minimum: int,
    prices: Mapping[str, float] = NO_PRICES,
) -> tuple[JobRow, ...]:
    """Every job that ran in the period, the ones that need somebody first."""
    days = within(table(JobDay, counts.days), period)
    by = ["workflow", "job"]
    ran, on_base = sums(days, by, ["passed", "failed"]), sums(days[days["on_base"] == 1], by, ["passed", "failed"])
    flakes = sums(within(table(RetryDay, counts.retries), period), by, ["recovered"])
    losses = table(LossDay, counts.losses)
    lost = spent(within(losses[losses["kind"] != "cancelled"], period), by, prices)
    flips: dict[Key, Rate] = {(row.workflow, row.job): rate(row.flips, row.pairs, minimum) for row in counts.flips}
    streaks: dict[Key, int] = {(row.workflow, row.job): row.failed_in_a_row for row in counts.streaks}
    kinds: dict[Key, ChangeKind] = {(c.workflow, c.job): c.kind for c in changes if c.kind in _OF_A_STATE}
    pools = members(days, by, "pool")
    rows = []
    for key, (passed, failed) in ran.items():
        # A job rerun after the period's end, or first seen in the middle of its attempts, has no more flakes than runs.
        flake = rate(min(flakes.get(key, (0,))[0], passed + failed), passed + failed, minimum)
        good, bad = on_base.get(key, (0, 0))
        rows.append(
            JobRow(
                workflow=key[0],
                job=key[1],
                pools=pools[key],
                state=state(flake, streaks.get(key, 0), kinds.get(key)),
                failing=rate(failed, passed + failed, minimum),
                failing_on_base=rate(bad, good + bad, minimum),
                flake=flake,
                flip=flips.get(key, rate(0, 0, minimum)),
                failed_in_a_row=streaks.get(key, 0),
                gpu_hours=lost.get(key, _NOTHING).hours,
                money=lost.get(key, _NOTHING).money,
            )
        )
    order = list(State)
    return tuple(sorted(rows, key=lambda row: (order.index(row.state), -row.gpu_hours, row.workflow, row.job)))


def state(flake: Rate, failed_in_a_row: int, change: ChangeKind | None) -> State:
    """Broken outranks all: calling a broken job flaky invites reruns that cannot pass. Broken needs no minimum n,
    every other word does."""
    if failed_in_a_row >= BROKEN_IN_A_ROW:
        return State.BROKEN
    if not flake.enough:
        return State.TOO_LITTLE
    if change is ChangeKind.DEGRADED:
        return State.DEGRADED
    if flake.k >= FLAKES and (flake.value or 0) >= FLAKE_RATE:
        return State.FLAKY
    return State.RECOVERED if change is ChangeKind.RECOVERED else State.STEADY


def job_changes(counts: JobCounts, period: Period, minimum: int) -> tuple[JobChange, ...]:
    """Changes of failure rates on the base branch, and of flake rates anywhere, that became visible in the period; the
    largest first.

    Visible: the history up to the period's end shows the change, the history up to its start does not. So each change
    is reported once, when it can be seen, even if it began earlier.
    """
    broken = {(row.workflow, row.job) for row in counts.streaks if row.failed_in_a_row >= BROKEN_IN_A_ROW}
    found = []
    for key, point in _new_points(_failing_on_base(counts.days), period, minimum):
        worse = ChangeKind.BROKEN if key in broken else ChangeKind.DEGRADED
        found.append(JobChange(key[0], key[1], worse if _step(point) > 0 else ChangeKind.RECOVERED, point))
    # A job that began to fail more also flakes more: that is one change, not two.
    told = {(change.workflow, change.job) for change in found}
    for key, point in _new_points(_flaking(counts.days, counts.retries), period, minimum):
        if key not in told:
            kind = ChangeKind.FLAKY if _step(point) > 0 else ChangeKind.CALMER
            found.append(JobChange(key[0], key[1], kind, point))
    return tuple(sorted(found, key=lambda change: -abs(_step(change.point))))


Series = Mapping[Key, Sequence[DayCount]]


def _failing_on_base(days: Sequence[JobDay]) -> Series:
    frame = table(JobDay, days)
    counts = sums(frame[frame["on_base"] == 1], ["workflow", "job", "day"], ["passed", "failed"])
    return _series((key, failed, passed + failed) for key, (passed, failed) in counts.items())


def _flaking(days: Sequence[JobDay], retries: Sequence[RetryDay]) -> Series:
    by = ["workflow", "job", "day"]
    flaked = sums(table(RetryDay, retries), by, ["recovered"])
    ran = sums(table(JobDay, days), by, ["passed", "failed"])
    # A rerun after midnight belongs to a run of the day before: the share is cut at one.
    return _series((key, min(sum(runs), flaked.get(key, (0,))[0]), sum(runs)) for key, runs in ran.items())


def _series(counts: Iterable[tuple[Key, int, int]]) -> Series:
    series: dict[Key, list[DayCount]] = {}
    for (workflow, job, day), hits, settled in counts:
        series.setdefault((workflow, job), []).append(DayCount(int(day), hits, settled))
    return series


def _new_points(all_series: Series, period: Period, minimum: int) -> Iterable[tuple[Key, ChangePoint]]:
    for key, series in all_series.items():
        points = change_points([count for count in series if count.day <= period.last], minimum)
        recent = [point for point in points if point.latest >= date_of(period.before().first)]
        if recent:
            earlier = change_points([count for count in series if count.day < period.first], minimum)
            yield from ((key, point) for point in recent if not _known(point, earlier))


def _step(point: ChangePoint) -> float:
    return (point.after.value or 0) - (point.before.value or 0)


def _known(point: ChangePoint, earlier: Sequence[ChangePoint]) -> bool:
    """Whether a change in the same direction, in days that overlap, was visible before."""
    return any(
        (_step(old) > 0) == (_step(point) > 0) and old.earliest <= point.latest and point.earliest <= old.latest
        for old in earlier
    )


def matrix(days: Sequence[JobDay], period: Period, minimum: int) -> tuple[Cell, ...]:
    """Failing first attempts by pool and workflow, sorted by both."""
    counts = sums(within(table(JobDay, days), period), ["pool", "workflow"], ["passed", "failed"])
    return tuple(
        Cell(pool, workflow, rate(bad, good + bad, minimum)) for (pool, workflow), (good, bad) in counts.items()
    )
