"""The second origin: bodies behind signed addresses that expire and that refuse a token, as Azure's blobs do."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_XML = '<?xml version="1.0" encoding="utf-8"?><Error><Code>{0}</Code><Message>{0}</Message></Error>'


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store sends: a part of a body, or an error in XML."""

    status: int
    content: bytes
    headers: Mapping[str, str]


@dataclass(slots=True)
class Store:
    """`lifetime` is how long an address works, in seconds. `origin` is set once the server listens."""

    lifetime: float = 60.0
    origin: str = ""
    clock: Callable[[], float] = time.time
    _bodies: dict[str, bytes | None] = field(default_factory=dict)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def address(self, name: str, body: bytes | None) -> str:
        """A signed address of `body`; of nothing (BlobNotFound) when it is None."""
        with self._lock:
            self._bodies[name] = body
        expires = str(int((self.clock() + self.lifetime) * 1000))
        return f"{self.origin}/{name}?se={expires}&sig={self._sign(name, expires)}"

    def _sign(self, name: str, expires: str) -> str:
        return hmac.new(self._key, f"{name} {expires}".encode(), hashlib.sha256).hexdigest()

    def get(self, name: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Stored:
        if "authorization" in headers:
            return _error(401, "NoAuthenticationInformation")
        expires = query.get("se", "")
        if not hmac.compare_digest(query.get("sig", ""), self._sign(name, expires)):
            return _error(403, "AuthenticationFailed")
        if int(expires) < self.clock() * 1000:
            return _error(403, "AuthenticationFailed")
        with self._lock:
            body = self._bodies.get(name)
        if body is None:
            return _error(404, "BlobNotFound")
        return _part(body, headers)


def _part(body: bytes, headers: Mapping[str, str]) -> Stored:
    etag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    own = {"ETag": etag, "Content-Type": "text/plain", "Accept-Ranges": "bytes"}
    start, _, end = headers.get("range", "").removeprefix("bytes=").partition("-")
    if not start.isdecimal() or headers.get("if-range", etag) != etag:
        return Stored(200, body, own)
    first, last = int(start), min(int(end) if end.isdecimal() else len(body) - 1, len(body) - 1)
    if first >= len(body):
        return _error(416, "InvalidRange")
    return Stored(206, body[first : last + 1], {**own, "Content-Range": f"bytes {first}-{last}/{len(body)}"})


def _error(status: int, code: str) -> Stored:
    headers = {"Content-Type": "application/xml", "x-ms-error-code": code}
    return Stored(status, _XML.format(code).encode(), headers)
