"""What goes wrong on purpose: which call, how often, and what the client gets instead of, or on top of, its answer."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

BLOB = "blob"  # the operation name of the store behind redirects


@dataclass(frozen=True, slots=True)
class Fault:
    """`operation` is a route's name ("GET run", "blob") or "*"; it spares the first `after` calls, then hits `times`.

    With `status` the client gets that answer; `cut_at` ends the connection after so many bytes of the body;
    `bytes_per_second` slows the body; `body` replaces it. A fault with `done` happens after the call took effect.
    """

    operation: str
    times: int = 1
    after: int = 0
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    cut_at: int = -1
    bytes_per_second: float = 0.0
    done: bool = False
    # Rate limits tell when they end, relative to the moment they hit.
    reset_in: int = 0


def status(operation: str, code: int, message: str = "Server Error", times: int = 1, done: bool = False) -> Fault:
    body = f'{{"message": "{message}", "documentation_url": "https://docs.github.example", "status": "{code}"}}'
    return Fault(operation, times, status=code, body=body.encode(), done=done)


def primary_limit(operation: str, reset_in: int, times: int = 1, code: int = 403) -> Fault:
    body = b'{"message": "API rate limit exceeded.", "documentation_url": "https://docs.github.example"}'
    headers = (("X-RateLimit-Remaining", "0"),)
    return Fault(operation, times, status=code, headers=headers, body=body, reset_in=reset_in)


def secondary_limit(operation: str, retry_after: int | None = None, times: int = 1, code: int = 403) -> Fault:
    body = (
        b'{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",'
        b' "documentation_url": "https://docs.github.example"}'
    )
    headers = (("Retry-After", str(retry_after)),) if retry_after is not None else ()
    return Fault(operation, times, status=code, headers=headers, body=body)


def cut(operation: str, at: int = 0, times: int = 1, done: bool = False) -> Fault:
    """The connection ends after `at` bytes of the body; at 0 not even the head is sent."""
    return Fault(operation, times, cut_at=at, done=done)


def slow(operation: str, bytes_per_second: float, times: int = 1) -> Fault:
    return Fault(operation, times, bytes_per_second=bytes_per_second)


def garbage(operation: str, times: int = 1) -> Fault:
    """A proxy's page where JSON should be."""
    return Fault(operation, times, status=200, headers=(("Content-Type", "text/html"),), body=b"<html>Sign in</html>")


@dataclass(slots=True)
class Faults:
    """The plan, counted down as calls come in. Safe to use from several threads."""

    _plan: list[tuple[Fault, list[int]]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, faults: Iterable[Fault]) -> None:
        with self._lock:
            self._plan += [(fault, [0]) for fault in faults]

    def clear(self) -> None:
        with self._lock:
            self._plan.clear()

    def strike(self, operation: str) -> Fault | None:
        """The fault that hits this call, if one does."""
        with self._lock:
            for fault, calls in self._plan:
                if fault.operation not in (operation, "*"):
                    continue
                calls[0] += 1
                if fault.after < calls[0] <= fault.after + fault.times:
                    return fault
        return None
