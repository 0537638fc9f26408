"""Signatures: which are new, gone, silent or inflating, whether rerunning helps, and what nothing explains."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from triage.flakiness.exact import binomial_tail, holm
from triage.flakiness.intervals import rate
from triage.flakiness.tables import sums, table, within
from triage.model.history import JobDay, Period, RetryDay, Sighting, SignatureDay, date_of
from triage.model.report import RetryRow, SignatureRow, SignatureState

LEVEL = 0.05
INFLATION = 2.0  # times what was expected
SILENT_DAYS = 60
BASELINE_PERIODS = 8
# A signature counts as gone when as few hits as now would have had less than this chance.
GONE = 0.01


class Hits(NamedTuple):
    """Hits of a signature in the period and in the baseline before it; `expected` in the period at the old rate."""

    signature: str
    now: int
    before: int
    share: float  # of all attempts, those in the period: under an unchanged rate each hit falls there with this chance
    ever_before: int

    @property
    def expected(self) -> float:
        return self.before * self.share / (1 - self.share) if self.share < 1 else 0.0

    @property
    def p_more(self) -> float:
        return binomial_tail(self.now, self.now + self.before, self.share)

    @property
    def p_fewer(self) -> float:
        return 1 - binomial_tail(self.now + 1, self.now + self.before, self.share)


def hits(signatures: Sequence[SignatureDay], days: Sequence[JobDay], period: Period) -> tuple[Hits, ...]:
    """Every signature of the history, weighed by how many attempts the period and its baseline hold."""
    frame, ran = table(SignatureDay, signatures), table(JobDay, days)
    baseline = Period(period.first - BASELINE_PERIODS * period.days, period.first - 1)
    attempts_now, attempts_before = (
        int(within(ran, part)[["passed", "failed"]].to_numpy().sum()) for part in (period, baseline)
    )
    share = attempts_now / max(1, attempts_now + attempts_before)
    now, before = (sums(within(frame, part), ["signature"], ["hits"]) for part in (period, baseline))
    ever = sums(frame[frame["day"] < period.first], ["signature"], ["hits"])
    names = sorted({name for (name,) in (*now, *before, *ever)})
    zero = (0,)
    return tuple(
        Hits(name, now.get((name,), zero)[0], before.get((name,), zero)[0], share, ever.get((name,), zero)[0])
        for name in names
    )


def by_period(signatures: Sequence[SignatureDay], name: str, periods: Sequence[Period]) -> tuple[int, ...]:
    """Hits of one signature in each period."""
    days = [(row.day, row.hits) for row in signatures if row.signature == name]
    return tuple(sum(hits for day, hits in days if period.first <= day <= period.last) for period in periods)


def new_ones(counts: Sequence[Hits]) -> tuple[Hits, ...]:
    """Hit in the period and never before, as far as the history goes back (which must hold attempts at all)."""
    return tuple(hit for hit in counts if hit.now and not hit.ever_before and hit.share < 1)


def gone_ones(counts: Sequence[Hits]) -> tuple[Hits, ...]:
    """Not hit in the period, though the rate before makes that very unlikely."""
    return tuple(hit for hit in counts if not hit.now and hit.before and hit.p_fewer < GONE)


def health(
    counts: Sequence[Hits],
    signatures: Sequence[SignatureDay],
    catalogue: Collection[str],
    period: Period,
    reaches_back: int,
) -> tuple[SignatureRow, ...]:
    """Every signature that was hit, as far as the history goes back; the ones to look at first. Most of a catalogue is
    about other repositories: that those never occur says nothing.

    `reaches_back`: days of history up to the period's end. Without SILENT_DAYS of them none is called silent.
    """
    last: dict[str, int] = {}
    for row in signatures:
        last[row.signature] = max(last.get(row.signature, row.day), row.day)
    inflating = _inflating(counts)
    rows = []
    for hit in counts:
        name = hit.signature
        quiet = reaches_back >= SILENT_DAYS and last.get(name, -1) <= period.last - SILENT_DAYS
        expected = hit.expected if hit.share < 1 and hit.ever_before else None
        day = date_of(last[name]) if name in last else None
        rows.append(SignatureRow(name, _state(name, inflating, quiet, catalogue), hit.now, expected, day))
    order = [SignatureState.INFLATING, SignatureState.NOT_IN_CATALOGUE, SignatureState.ACTIVE, SignatureState.SILENT]
    return tuple(sorted(rows, key=lambda row: (order.index(row.state), -row.hits, row.signature)))


def _inflating(counts: Sequence[Hits]) -> frozenset[str]:
    candidates = [hit for hit in counts if hit.now and hit.ever_before]
    adjusted = holm([hit.p_more for hit in candidates])
    pairs = zip(candidates, adjusted, strict=True)
    return frozenset(hit.signature for hit, p in pairs if p <= LEVEL and hit.now >= INFLATION * hit.expected)


def _state(name: str, inflating: Collection[str], quiet: bool, catalogue: Collection[str]) -> SignatureState:
    if name in inflating:
        return SignatureState.INFLATING
    if catalogue and name not in catalogue:
        return SignatureState.NOT_IN_CATALOGUE
    return SignatureState.SILENT if quiet else SignatureState.ACTIVE


def retry_rows(retries: Sequence[RetryDay], period: Period, minimum: int) -> tuple[RetryRow, ...]:
    """Of the failed attempts that were rerun, how many passed next; by cause, the most often rerun first.

    People choose what to rerun, so this is the success of the reruns that were tried, not of any rerun.
    """
    counts = sums(within(table(RetryDay, retries), period), ["signature"], ["recovered", "retried"])
    rows = [RetryRow(name, rate(good, tried, minimum)) for (name,), (good, tried) in counts.items()]
    return tuple(sorted(rows, key=lambda row: (-row.success.n, row.signature)))


_NUMBER = re.compile(r"0x[0-9a-f]+|[0-9a-f]{8,}|\d+(?:\.\d+)?", re.IGNORECASE)
_LONGEST = 300


def clusters(unexplained: Sequence[Sighting]) -> tuple[tuple[int, Sighting], ...]:
    """Unexplained failures whose lines are alike once numbers and hashes are masked: (count, the newest of them)."""
    groups: dict[str, list[Sighting]] = {}
    for sighting in unexplained:
        groups.setdefault(_NUMBER.sub("*", sighting.text[:_LONGEST]).strip(), []).append(sighting)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].text))
    return tuple((len(group), group[0]) for group in ordered)
