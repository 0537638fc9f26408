"""Counts the requests that are sent for one purpose, and lets no more of them through than were allowed."""

from __future__ import annotations

import threading

from triage.errors import RequestsSpent


class Meter:
    """Safe to share between threads. `most` None: no limit."""

    def __init__(self, purpose: str, most: int | None = None, remedy: str = "") -> None:
        self.purpose = purpose
        self.most = most
        self.spent = 0
        self._remedy = remedy
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raises RequestsSpent when the next request would be one too many."""
        if self.most is not None and self.spent >= self.most:
            count = f"{self.most} request{'' if self.most == 1 else 's'}"
            raise RequestsSpent(f"the limit of {count} for {self.purpose} is reached", self._remedy)

    def take(self) -> None:
        """Counts a request that is about to be sent, or raises RequestsSpent."""
        with self._lock:
            self.check()
            self.spent += 1
