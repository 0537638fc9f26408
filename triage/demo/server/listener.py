"""How the server listens and writes: HTTP/1.1 with kept connections, slow and cut answers, and a clean end."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from triage.demo.server.faults import Fault
from triage.demo.server.routing import Request

PIECE = 64 * 1024


class Listener(ThreadingHTTPServer):
    """Ends its connections with itself: idle ones would keep their threads."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave early are what this server is for; anything else is a bug and shows in the answer."""

    def server_close(self) -> None:
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Set by the server that makes a subclass for itself.
    stopping: threading.Event
    scheme: str
    disable_nagle_algorithm = True

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name is http.server's
        """Quiet: the server runs inside another program's terminal."""

    def read_request(self) -> Request:
        parts = urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(size) if size else b""
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        base = f"{self.scheme}://{self.headers.get('Host', '')}"
        return Request(base, self.command, unquote(parts.path), query, headers, body)

    def send(self, status: int, content: bytes, headers: Iterable[tuple[str, str]], fault: Fault | None) -> None:
        """Writes the answer, as slowly or incompletely as the fault wants it."""
        if fault is not None and fault.cut_at == 0:
            self._hang_up()
            return
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault is not None and fault.cut_at > 0:
            self.wfile.write(content[: fault.cut_at])
            self._hang_up()
            return
        rate = fault.bytes_per_second if fault is not None else 0.0
        self._write(content, rate or self.rate())

    def rate(self) -> float:
        return 0.0

    def _write(self, content: bytes, rate: float) -> None:
        started = time.monotonic()
        piece = min(PIECE, max(int(rate / 20), 1)) if rate else PIECE
        view = memoryview(content)
        for start in range(0, len(content), piece):
            self.wfile.write(view[start : start + piece])
            if rate:
                due = started + min(start + piece, len(content)) / rate
                if self.stopping.wait(max(due - time.monotonic(), 0.0)):
                    return

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
