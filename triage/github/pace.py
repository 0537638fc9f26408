"""How fast requests may go, over all threads: a token bucket, a gap between writes, and pauses that GitHub asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from triage.errors import RateLimited
from triage.github.cancellation import Cancellation

READ_POINTS = 1
WRITE_POINTS = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """GitHub's secondary limits: 900 points a minute (a read is 1, a write 5) and about one write a second.

    `burst` + 60 s x `refill` stays at 900. `max_wait` bounds, in seconds and over the adapter's life, how long all
    threads together stand still because GitHub said so.
    """

    burst: float = 300.0
    refill: float = 10.0
    write_gap: float = 1.0
    max_wait: float = 120.0


class Pace:
    """Shared by all threads of one adapter."""

    def __init__(self, limits: Limits, cancellation: Cancellation, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._cancellation = cancellation
        self._clock = clock
        self._lock = threading.Lock()
        self._points = limits.burst
        self._refilled_at = clock()
        self._next_write = 0.0
        self._paused_until = 0.0
        self._waited = 0.0

    @property
    def waited(self) -> float:
        """Seconds of standstill granted so far."""
        return self._waited

    def take(self, write: bool) -> None:
        """Blocks until one request may be sent. Raises Cancelled."""
        while True:
            self._cancellation.check()
            wait = self._try_take(write)
            if wait <= 0:
                return
            self._cancellation.sleep(wait)

    def _try_take(self, write: bool) -> float:
        cost = WRITE_POINTS if write else READ_POINTS
        with self._lock:
            now = self._clock()
            self._points = min(self._limits.burst, self._points + (now - self._refilled_at) * self._limits.refill)
            self._refilled_at = now
            wait = max(self._paused_until - now, (cost - self._points) / self._limits.refill)
            if write:
                wait = max(wait, self._next_write - now)
            # Below a microsecond is rounding, not waiting.
            if wait > 1e-6:
                return wait
            self._points -= cost
            if write:
                self._next_write = now + self._limits.write_gap
            return 0.0

    def pause(self, seconds: float, reason: str) -> None:
        """Stops all threads for `seconds`, or raises RateLimited when that exceeds what may be waited in all."""
        with self._lock:
            now = self._clock()
            until = now + seconds
            extra = until - max(self._paused_until, now)
            if extra <= 0:
                return
            if self._waited + extra > self._limits.max_wait:
                raise RateLimited(
                    f"GitHub asks to wait {_span(seconds)} ({reason}), longer than may be waited"
                    f" ({self._limits.max_wait:.0f} s in all, {self._waited:.0f} s of it used).",
                    "Try again then, or raise --max-wait of `triage run`; a token raises an anonymous limit.",
                    datetime.now(UTC) + timedelta(seconds=seconds),
                )
            self._waited += extra
            self._paused_until = until


def _span(seconds: float) -> str:
    """As coarse as a person plans with."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours" if seconds < 48 * 3600 else f"{seconds / 86400:.0f} days"
