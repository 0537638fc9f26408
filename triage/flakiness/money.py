"""GPU-hours in money: those of each pool x what a GPU-hour of that pool costs. Pools without a price add nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from triage.flakiness.tables import sums, table, within
from triage.model.history import LossDay, Period
from triage.model.report import Spent

if TYPE_CHECKING:
    import pandas as pd

HOUR = 3600
NO_PRICES: Mapping[str, float] = MappingProxyType({})


def spent(
    frame: pd.DataFrame, by: list[str], prices: Mapping[str, float], column: str = "gpu_seconds"
) -> Mapping[tuple[str, ...], Spent]:
    """What the rows of losses cost, by the values of `by`; no money where none of the pools has a price."""
    found: dict[tuple[str, ...], Spent] = {}
    for (*key, pool), (seconds,) in sums(frame, [*by, "pool"], [column]).items():
        before = found.get(tuple(key), Spent(0.0))
        hours = seconds / HOUR
        money = before.money if pool not in prices else (before.money or 0.0) + hours * prices[pool]
        found[tuple(key)] = Spent(before.hours + hours, money)
    return found


def flakes_and_failures(losses: Sequence[LossDay], period: Period, prices: Mapping[str, float]) -> tuple[Spent, Spent]:
    """What flakes cost, with the reruns that showed them, and the other failed attempts; together all losses."""
    frame = table(LossDay, losses)
    frame = within(frame[frame["kind"] != "cancelled"], period)
    frame = frame.assign(other_seconds=frame["gpu_seconds"] - frame["flaked_seconds"])
    nothing = Spent(0.0, 0.0 if prices else None)
    flakes, others = (spent(frame, [], prices, column) for column in ("flaked_seconds", "other_seconds"))
    return flakes.get((), nothing), others.get((), nothing)
