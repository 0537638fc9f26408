"""GPU-hours lost, by cause.

Lost = GPUs x (time of failed attempts + time of reruns that passed), with the time in the queue added only for pools
whose machines are held while a job waits. A failed rerun counts once, as a failed attempt. A rerun that passed is the
price of the failure before it and goes to that cause. What cancelled attempts held is given apart, never in the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from triage.flakiness.intervals import rate
from triage.flakiness.money import HOUR, NO_PRICES, spent
from triage.flakiness.tables import members, sums, table, total, within
from triage.model.history import JobDay, LossDay, Period, Reach, date_of
from triage.model.report import CauseCost, LossPoint


def cause_costs(
    losses: Sequence[LossDay],
    reach: Sequence[Reach],
    days: Sequence[JobDay],
    period: Period,
    minimum: int,
    prices: Mapping[str, float] = NO_PRICES,
) -> tuple[CauseCost, ...]:
    """Every cause that cost something in the period, the dearest first, unexplained failures among them.

    `prices`: of a GPU-hour, by pool. Titles, owners, issues, fixes and sights are added by who knows them.
    """
    frame = table(LossDay, losses)
    frame = frame[frame["kind"] != "cancelled"]
    now, before = within(frame, period), within(frame, period.before())
    hours = sums(now, ["signature", "kind"], ["gpu_seconds"])
    money = spent(now, ["signature"], prices)
    ranks = _ranks(sums(before, ["signature"], ["gpu_seconds"]))
    failures = sums(now[now["kind"] == "failed"], ["signature"], ["attempts", "firsts"])
    jobs, of_pools = members(now, ["signature"], "job"), members(now, ["signature"], "pool")
    runs = sums(within(table(JobDay, days), period), ["job"], ["passed", "failed"])
    families = dict(members(now[now["family"] != ""], ["signature"], "family"))
    reached = {row.signature: row for row in reach}
    rows = []
    for key in jobs:
        (signature,) = key
        failed, firsts = failures.get(key, (0, 0))
        settled = sum(sum(runs.get((job,), (0,))) for job in jobs[key])
        hit = reached.get(signature)
        rows.append(
            CauseCost(
                signature=signature,
                family=families.get(key, ("",))[0],
                title=signature,
                owner="",
                issue="",
                jobs=jobs[key],
                pools=of_pools[key],
                failures=failed,
                rate=rate(firsts, settled, minimum),
                failed_hours=hours.get((signature, "failed"), (0,))[0] / HOUR,
                rerun_hours=hours.get((signature, "rerun"), (0,))[0] / HOUR,
                pull_requests=hit.pull_requests if hit else 0,
                authors=hit.authors if hit else 0,
                rank_before=ranks.get(key),
                money=money[key].money,
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.hours, -row.failures, row.signature)))


def _ranks(hours: Mapping[tuple[str, ...], tuple[int, ...]]) -> dict[tuple[str, ...], int]:
    ordered = sorted(hours, key=lambda key: -hours[key][0])
    return {key: place for place, key in enumerate(ordered, start=1) if hours[key][0] > 0}


def pools(losses: Sequence[LossDay], period: Period) -> tuple[str, ...]:
    """Those that lost GPU-hours in the period, sorted."""
    frame = within(table(LossDay, losses), period)
    return tuple(sorted(set(frame[(frame["kind"] != "cancelled") & (frame["gpu_seconds"] > 0)]["pool"])))


def cancelled_hours(losses: Sequence[LossDay], period: Period) -> float:
    frame = table(LossDay, losses)
    return total(within(frame[frame["kind"] == "cancelled"], period), "gpu_seconds") / HOUR


def lost_hours(losses: Sequence[LossDay], periods: Sequence[Period]) -> tuple[float, ...]:
    """In each period."""
    frame = table(LossDay, losses)
    frame = frame[frame["kind"] != "cancelled"]
    return tuple(total(within(frame, period), "gpu_seconds") / HOUR for period in periods)


def loss_points(losses: Sequence[LossDay], periods: Sequence[Period]) -> tuple[LossPoint, ...]:
    """GPU-hours by family for each period, oldest first."""
    frame = table(LossDay, losses)
    frame = frame[frame["kind"] != "cancelled"]
    points = []
    for period in periods:
        for (family,), (seconds,) in sums(within(frame, period), ["family"], ["gpu_seconds"]).items():
            points.append(LossPoint(date_of(period.first), family, seconds / HOUR))
    return tuple(points)
