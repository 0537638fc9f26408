"""Periods side by side: the header's tiles, the trend, and the time from red to green."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from triage.flakiness.cost import lost_hours
from triage.flakiness.intervals import rate
from triage.flakiness.tables import table, total, within
from triage.model.finding import Rate
from triage.model.history import GreenEpisode, JobDay, LogDay, LossDay, Period, RetryDay, RunDay, date_of
from triage.model.report import Tile, TimeToGreen, TrendPoint


@dataclass(frozen=True, slots=True)
class TrendCounts:
    """By day, over all periods of the trend."""

    runs: Sequence[RunDay]
    days: Sequence[JobDay]
    retries: Sequence[RetryDay]
    losses: Sequence[LossDay]
    logs: Sequence[LogDay]


def periods_back(period: Period, count: int, first_day: int) -> tuple[Period, ...]:
    """Up to `count` periods of this length, oldest first, this one last; none that ends before the history begins."""
    found = [period]
    while len(found) < count and found[0].before().last >= first_day:
        found.insert(0, found[0].before())
    return tuple(found)


def trend(counts: TrendCounts, periods: Sequence[Period], minimum: int) -> tuple[TrendPoint, ...]:
    runs, days = table(RunDay, counts.runs), table(JobDay, counts.days)
    retries, logs = table(RetryDay, counts.retries), table(LogDay, counts.logs)
    runs = runs[runs["on_base"] == 1]
    points = []
    for period in periods:
        ran, jobs, read = within(runs, period), within(days, period), within(logs, period)
        settled = total(jobs, "passed") + total(jobs, "failed")
        flaked = min(settled, total(within(retries, period), "recovered"))
        green = rate(total(ran, "passed"), total(ran, "passed") + total(ran, "failed"), minimum)
        unknown = rate(total(read, "read") - total(read, "explained"), total(read, "read"), minimum)
        points.append(
            TrendPoint(date_of(period.first), date_of(period.last), green, rate(flaked, settled, minimum), unknown)
        )
    return tuple(points)


def time_to_green(episodes: Sequence[GreenEpisode]) -> TimeToGreen:
    """Quantiles over all episodes: one that is still red counts as longer than any that ended, so that a week in which
    nothing was mended does not look quick."""
    ended = sorted(episode.seconds for episode in episodes if episode.seconds is not None)

    def quantile(share: float) -> int | None:
        place = max(0, ceil(share * len(episodes)) - 1)
        return ended[place] if place < len(ended) else None

    return TimeToGreen(len(episodes), len(episodes) - len(ended), quantile(0.5), quantile(0.9))


def tiles(
    points: Sequence[TrendPoint],
    greens: Sequence[TimeToGreen],
    losses: Sequence[LossDay],
    periods: Sequence[Period],
    has_gpus: bool,
) -> tuple[Tile, ...]:
    """The five figures of the header; `greens` are those of the last two periods."""
    lost: tuple[float | None, ...] = lost_hours(losses, periods) if has_gpus else (None,) * len(periods)
    mended = [green.p50 / 3600 if green.p50 is not None else None for green in greens]
    red = greens[-1]
    note = f"{red.episodes} times red, {red.still_red} still" if red.episodes else "no red run is known"
    return (
        _share("green", "Trunk green", points, lambda point: point.green, True),
        _share("flake", "Flake rate", points, lambda point: point.flake, False),
        Tile(
            "time-to-green",
            "Median time to green",
            "hours",
            mended[-1],
            mended[0] if len(mended) > 1 else None,
            (),
            False,
            n=red.episodes,
            note=note,
        ),
        Tile(
            "lost",
            "GPU-hours lost",
            "GPU-hours",
            lost[-1],
            lost[-2] if len(lost) > 1 else None,
            lost,
            False,
            note="" if has_gpus else "no pool says how many GPUs it has",
        ),
        _share("unknown", "Unexplained", points, lambda point: point.unknown, False),
    )


def _share(
    key: str, title: str, points: Sequence[TrendPoint], of: Callable[[TrendPoint], Rate], more_is_better: bool
) -> Tile:
    """A tile of a rate: under the minimum n its value is None, and said to be too little data."""
    judged = [of(point).value if of(point).enough else None for point in points]
    now = of(points[-1])
    known = now.enough
    return Tile(
        key=key,
        title=title,
        unit="share",
        value=judged[-1],
        previous=judged[-2] if len(judged) > 1 else None,
        spark=tuple(judged),
        more_is_better=more_is_better,
        low=now.low if known else None,
        high=now.high if known else None,
        n=now.n,
        note="" if known else f"too little data: {now.k} of {now.n}",
    )
