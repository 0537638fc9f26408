"""How many requests a sync may still send: its own budget, and what GitHub leaves."""

from __future__ import annotations

from collections.abc import Callable

from triage.model.run import Allowance

# Requests left to others that use the same token.
RESERVE = 50


class BudgetSpent(Exception):  # noqa: N818 - the end of a sync, not a fault
    """`reason` says what ran out, for the person who started the sync."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget:
    """Counts requests before they are sent. `limit` 0: no limit of its own."""

    def __init__(self, limit: int, allowance: Callable[[], Allowance]) -> None:
        self.limit = limit
        self.spent = 0
        self._allowance = allowance

    def spend(self, requests: int) -> None:
        """Raises BudgetSpent when that many may not be sent; nothing is counted then."""
        if self.limit and self.spent + requests > self.limit:
            raise BudgetSpent(f"the budget of {self.limit} requests is spent")
        left = self._allowance()
        if left.remaining is not None and left.remaining < requests + RESERVE:
            until = f" until {left.resets_at:%H:%M} UTC" if left.resets_at else ""
            raise BudgetSpent(f"GitHub allows {left.remaining} more requests{until}, and {RESERVE} are left to others")
        self.spent += requests
