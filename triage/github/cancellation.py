"""One switch that ends every wait and every transfer of an adapter, from any thread."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any
from weakref import WeakSet

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from triage.errors import GitHubError


class Cancelled(GitHubError):  # noqa: N818 - it is how a transfer ends, not a fault
    """The adapter was closed while this thread waited or read; the person pressed Ctrl-C, or the caller left early."""


class Cancellation:
    """Knows every open socket, so that a thread blocked in a read ends at once and not at its timeout."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        if self._event.is_set():
            raise Cancelled("The transfer was cancelled.")

    def sleep(self, seconds: float) -> None:
        """Waits, or raises Cancelled as soon as the switch is thrown."""
        if self._event.wait(max(seconds, 0.0)):
            self.check()

    def watch(self, connected: socket.socket) -> None:
        with self._lock:
            self._sockets.add(connected)
        if self.cancelled:
            _shut(connected)

    def cancel(self) -> None:
        self._event.set()
        with self._lock:
            sockets = list(self._sockets)
        for one in sockets:
            _shut(one)


def _shut(connected: socket.socket) -> None:
    # Closing a descriptor does not wake a blocked recv on Linux; shutting the connection down does.
    with contextlib.suppress(OSError, ValueError):
        connected.shutdown(socket.SHUT_RDWR)


class WatchedAdapter(HTTPAdapter):
    """requests' transport, without any retry of its own, whose sockets `cancellation` knows."""

    def __init__(self, cancellation: Cancellation, connections: int) -> None:
        self._schemes = _watched_pools(cancellation)
        super().__init__(pool_connections=connections, pool_maxsize=connections, max_retries=0)

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = self._schemes

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        manager.pool_classes_by_scheme = self._schemes
        return manager


def _watched_pools(cancellation: Cancellation) -> dict[str, type[HTTPConnectionPool]]:
    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            _watch(cancellation, self.sock)

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            _watch(cancellation, self.sock)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


def _watch(cancellation: Cancellation, connected: Any) -> None:
    if isinstance(connected, socket.socket):
        cancellation.watch(connected)
