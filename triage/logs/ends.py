"""Keeps the first and the last of arbitrarily many items, and how many there were."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Ends(Generic[T]):
    def __init__(self, first: int, last: int) -> None:
        self._most = first
        self._first: list[T] = []
        self._last: deque[T] = deque(maxlen=last)
        self.count = 0

    def add(self, item: T) -> None:
        self.count += 1
        if len(self._first) < self._most:
            self._first.append(item)
        else:
            self._last.append(item)

    def merge(self, items: Iterable[T], place: Callable[[T], int]) -> None:
        """More of them, once the first ones are there, some perhaps from before the last ones: by their `place`."""
        added = list(items)
        self.count += len(added)
        self._last.extend(sorted([*self._last, *added], key=place)[-(self._last.maxlen or 0) :])

    def __iter__(self) -> Iterator[T]:
        yield from self._first
        yield from self._last

    @property
    def capped(self) -> bool:
        return self.count > len(self._first) + len(self._last)
