"""What a search left out when its requests were spent, in one sentence for the verdict's evidence."""

from __future__ import annotations

from triage.errors import RequestsSpent


class Unasked:
    def __init__(self) -> None:
        self._left_out: dict[str, None] = {}
        self._said = ""
        self._remedy = ""

    def add(self, what: str, spent: RequestsSpent) -> None:
        self._left_out[what] = None
        self._said, self._remedy = spent.message, spent.remedy

    def sentences(self) -> tuple[str, ...]:
        if not self._left_out:
            return ()
        return (f"not looked at, as {self._said}: {', '.join(self._left_out)} ({self._remedy})",)
