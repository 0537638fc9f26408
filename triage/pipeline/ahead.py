"""Asks, while logs are on the wire, for what will be asked in any case once they are diagnosed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from triage.errors import TriageError

_AT_A_TIME = 2


class Ahead:
    """Whom it asks keeps the answers. Nobody else may ask them the same until `wait` has returned."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="triage-ahead")
        self._asked: dict[Hashable, Future[None]] = {}

    def ask(self, name: Hashable, question: Callable[[], object]) -> None:
        """Once for each name, in the background."""
        if name not in self._asked:
            self._asked[name] = self._pool.submit(_answered, question)

    def wait(self) -> None:
        """Until all have been answered, or have failed."""
        for asked in self._asked.values():
            asked.result()
        self._pool.shutdown()


def _answered(question: Callable[[], object]) -> None:
    # Asked again where the answer is needed, and told there.
    with suppress(TriageError):
        question()
