"""Listing runs by the time of their creation, in windows small enough that GitHub lists all of them.

A filtered listing holds at most 1,000 runs and does not say so; `total` does. One UTC day is a window; a day with more
is halved until each part fits. Reruns keep a run's time of creation, so a day is listed again while its runs may still
be rerun: often while it is young, rarely when it is old, never after RERUNS_END.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from triage.interfaces import HistorySource
from triage.model.outcome import SECONDS_PER_DAY
from triage.model.run import RunPage
from triage.pipeline.budget import Budget
from triage.storage.database import History
from triage.storage.listing import Window, record, remember_window, windows_since

MOST_LISTED = 1_000
PAGE = 100
RERUNS_END = timedelta(days=31)
# A day's listing may be older by this share of the day's own age.
STALENESS = 8
# A day without any run between days with at least this many is an outage of GitHub's search, not a quiet day.
BUSY = 20


def due(window: Window, now: int) -> bool:
    """Whether a listed day has to be listed again."""
    day_ended = window.start + SECONDS_PER_DAY - 1
    if window.stop < day_ended:
        return True
    if window.listed_at - window.stop >= RERUNS_END.total_seconds():
        return False
    return now - window.listed_at >= (window.listed_at - window.stop) / STALENESS


def days_to_list(history: History, since: datetime, now: datetime) -> tuple[tuple[int, int], ...]:
    """(start, stop) in seconds since 1970 of every day since `since` that is due, the newest first."""
    first, last = int(since.timestamp()) // SECONDS_PER_DAY, int(now.timestamp()) // SECONDS_PER_DAY
    known = windows_since(history, first * SECONDS_PER_DAY)
    moment = int(now.timestamp())
    starts = [day * SECONDS_PER_DAY for day in range(last, first - 1, -1)]
    return tuple(
        (start, min(start + SECONDS_PER_DAY - 1, moment))
        for start in starts
        if start not in known or due(known[start], moment)
    )


class Day(NamedTuple):
    """`counted` is what GitHub says that there are; where it lists fewer, some are missing."""

    runs: int
    counted: int


def list_day(history: History, source: HistorySource, budget: Budget, start: int, stop: int, now: int) -> Day:
    """Record every run of a day and that it is listed. What was recorded stays if this is cut short, or if GitHub lists
    fewer than it counts, and the day is listed again."""
    found: set[int] = set()
    counted = 0
    for page in _pages(source, budget, start, stop):
        record(history, page.runs)
        found.update(run.id for run in page.runs)
        counted += page.total
    if len(found) >= counted:
        remember_window(history, Window(start, stop, len(found), now))
    return Day(len(found), counted)


def _pages(source: HistorySource, budget: Budget, start: int, stop: int) -> Iterator[RunPage]:
    """The first page of each part says how many runs the part holds, the others 0."""
    first = page = _page(source, budget, start, stop, 1)
    if first.total >= MOST_LISTED and stop > start:
        middle = (start + stop) // 2
        yield from _pages(source, budget, middle + 1, stop)
        yield from _pages(source, budget, start, middle)
        return
    yield first
    for number in range(1, MOST_LISTED // PAGE):
        # Where GitHub does not count, a full page may have another one behind it.
        if number * PAGE >= first.total if first.total else len(page.runs) < PAGE:
            return
        page = _page(source, budget, start, stop, number + 1)
        yield RunPage(0, page.runs)


def _page(source: HistorySource, budget: Budget, start: int, stop: int, number: int) -> RunPage:
    budget.spend(1)
    return source.run_page(_moment(start), _moment(stop), number)


def outages(history: History, since: datetime) -> tuple[int, ...]:
    """Starts of days listed as empty between busy ones: suspect, and forgotten so that they are listed again."""
    known = windows_since(history, int(since.timestamp()) // SECONDS_PER_DAY * SECONDS_PER_DAY)

    def busy(start: int) -> bool:
        return start in known and known[start].runs >= BUSY

    return tuple(
        start
        for start, window in sorted(known.items())
        if window.runs == 0 and busy(start - SECONDS_PER_DAY) and busy(start + SECONDS_PER_DAY)
    )


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
