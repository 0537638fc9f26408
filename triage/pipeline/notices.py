"""What a report must say about itself: what is missing, what is stale, what the words mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from triage.model.history import Period, date_of
from triage.model.report import Completeness
from triage.output.plain import count

STALE = timedelta(days=2)
# Fewer runs read than this share: rates lean towards failures, which are read first.
WHOLE = 0.98
LOGS = 0.8

_METHOD = """
An attempt is settled when it passed or failed. Cancelled, superseded, skipped and unapproved attempts are left out,
unless the log shows a time limit or a lost runner.

Failing: first settled attempts of a job in a run that failed. Flake: the job failed, then passed when rerun at the
same commit; a failure that nobody reran is not counted as one.

Flip: neighbouring results of a job on the base branch that differ. Trunk green: first attempts of runs on the base
branch that passed.

Intervals are Wilson's at 95 %. Under the minimum n there is no rate, only a count.

Broken: the five newest results on the base branch failed. Flaky: two flakes or more, at 1 % or more. Degraded,
recovered: a change point in the failure rate on the base branch became visible in this period (posterior 95 %).

Suspect runner: fails more than the others of its pool did on the same jobs in the same weeks. The test is exact and
stratified, with Holm's correction: the chance of naming any innocent machine is at most 5 % per report.

GPU-hours lost: GPUs x (time of failed attempts + time of reruns that passed); a rerun's time goes to the cause of the
failure before it. Queueing counts only for pools whose machines are held while a job waits. Cancelled attempts are
given apart. Flakes cost the failed attempts whose next attempt passed, and those reruns; failures cost the rest.

Rerun success is that of the reruns people chose to make. Time to green counts what is still red as longest.

New, gone, silent and inflating causes are judged against the history that is held, by counts per attempt.
"""
METHOD = tuple(" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n"))


def method(pools: Sequence[str], prices: Mapping[str, float], currency: str) -> tuple[str, ...]:
    """What the words mean. `pools` lost GPU-hours; money is explained where one of them has a price."""
    if not prices:
        return METHOD
    unit = f" {currency}" if currency else ""
    told = ", ".join(f"{pool} {price:g}{unit}" for pool, price in prices.items())
    free = ", ".join(pool for pool in pools if pool not in prices)
    left_out = f" Not in it, without a price: {free}." if free else ""
    return (*METHOD, f"Cost: GPU-hours lost x the price of a GPU-hour in today's triage.toml ({told}).{left_out}")


def notices(
    held: Completeness, period: Period, now: datetime, first_day: int, has_gpus: bool, minimum: int
) -> tuple[str, ...]:
    return tuple(_notices(held, period, now, first_day, has_gpus, minimum))


def _notices(
    held: Completeness, period: Period, now: datetime, first_day: int, has_gpus: bool, minimum: int
) -> Iterator[str]:
    if held.newest is None:
        yield "The history is empty: run `triage history sync --since 28d` first. Nothing below is a measurement."
        return
    if held.attempts == 0:
        yield "No job ran in this period, as far as the history knows. Nothing below is a measurement."
    elif held.attempts < minimum:
        yield f"Only {count(held.attempts, 'job attempt')} in this period: too little data for any rate."
    yield from _stale(held, period, now)
    if held.runs_read < WHOLE * held.runs_listed:
        missing = held.runs_listed - held.runs_read
        yield (
            f"{missing} of {held.runs_listed} runs are listed but not read yet. Failed and retried runs come first, so "
            "failure and flake rates are too high until the rest is: run `triage history sync` again."
        )
    yield from _logs(held)
    if first_day > period.before().first and held.attempts:
        yield (
            f"The history begins on {date_of(first_day)}: there is no whole period before this one to compare with, "
            "and nothing is called new, gone or silent."
        )
    if not has_gpus and held.failed:
        yield "No pool says how many GPUs it has (runners in triage.toml): GPU-hours are not known, and not zero."


def _stale(held: Completeness, period: Period, now: datetime) -> Iterator[str]:
    assert held.newest is not None  # asked by the caller
    end = datetime.combine(date_of(period.last + 1), datetime.min.time(), UTC)
    age = min(now, end) - held.newest
    if age > STALE:
        yield (
            f"Stale: the newest attempt ended on {held.newest:%Y-%m-%d %H:%M} UTC, {age.days} days before the period's "
            "end. Either nothing ran since, or the sync stopped."
        )
    if held.synced is not None and now - held.synced > STALE:
        yield f"The last sync ended on {held.synced:%Y-%m-%d %H:%M} UTC, {(now - held.synced).days} days ago."


def _logs(held: Completeness) -> Iterator[str]:
    if held.logs_pending:
        yield f"Logs still to be read: {held.logs_pending}; the next sync goes on with them."
    lost = sum(count for _, count in held.logs_missing)
    if held.failed and held.logs_read < LOGS * (held.failed - held.logs_pending):
        reasons = ", ".join(f"{reason or 'unknown'} {count}" for reason, count in held.logs_missing)
        yield f"{lost} of {held.failed} failed attempts have no log ({reasons}): their causes are not known."
