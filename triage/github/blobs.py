"""Large bodies, streamed to disk from wherever GitHub redirects to: no token is sent there, ever.

The address that GitHub hands out is a secret while it lives (about a minute), so no message quotes it.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import requests
import urllib3

from triage.errors import GitHubError
from triage.github.cancellation import Cancellation
from triage.github.connection import Timeouts, chunks, new_session
from triage.github.transport import in_words

MAX_BYTES = 2 * 1024**3
# A transfer slower than this, over the whole of it, is given up: 16 KiB/s and a minute to start.
SLOWEST = 16 * 1024
GRACE = 60.0
MAX_RESUMES = 4
# How many more may be asked for than are read: it takes a round trip to the store, and one to GitHub before.
AHEAD = 2
# No body's length has so many.
_DIGITS = 16
# How a page begins, whatever its sender calls it; a log begins with a time, an archive with its mark.
_PAGE, _SNIFFED, _A_PAGE = (b"<!doctype html", b"<html", b"<?xml"), 256, "a page came instead, perhaps a proxy's"
_BOM = b"\xef\xbb\xbf"
_PAGES = ("text/html", "text/xml", "application/xml", "application/json", "application/problem+json")
# What a disk says, and no network.
_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})

Progress = Callable[[int, int], None]  # bytes received so far, bytes in all (0: not told)


@dataclass(frozen=True, slots=True)
class Missing:
    """The store answered, but has no such body: `status` is HTTP's, `code` the store's own word (BlobNotFound)."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The transfer failed for good; `detail` says why without the address."""

    detail: str


@dataclass(slots=True)
class _State:
    """What survives a cut: where we are, and what proves that the rest belongs to the same body."""

    received: int = 0
    total: int = 0
    validator: str = ""


class BlobStore:
    """Downloads side by side, at most `connections` bodies at a time. Shared by all threads.

    A body is asked for before it is its turn, so that no connection stands idle while the store makes up its mind.
    """

    def __init__(
        self, cancellation: Cancellation, verify: bool | str, connections: int, timeouts: Timeouts, encrypted: bool
    ) -> None:
        self._cancellation = cancellation
        self._session = new_session(cancellation, connections + AHEAD, verify)
        self._slots = threading.BoundedSemaphore(connections)
        self._timeouts = timeouts
        self._encrypted = encrypted

    def download(
        self,
        locate: Callable[[], str],
        into: Path,
        progress: Progress | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> Missing | Broken | None:
        """Writes the whole body to `into` and returns None, or why there is none.

        `locate` asks GitHub for a fresh address; it is called again when one expires or the transfer is cut, and the
        transfer goes on where it stopped if the store can do that. Raises what `locate` raises, and Cancelled.
        """
        state = _State()
        with into.open("wb") as stream:
            for resumed in range(MAX_RESUMES + 1):
                address = locate()
                # What was cut while it waited for its turn waits first the next time.
                with self._slots if resumed else nullcontext():
                    turn = nullcontext() if resumed else self._slots
                    outcome = self._transfer(address, stream, state, progress, max_bytes, turn)
                match outcome:
                    case None | Broken():
                        return outcome
                    case Missing(status, _) if status not in (401, 403):
                        return outcome
            return outcome if isinstance(outcome, Missing) else Broken(f"the transfer kept failing: {outcome}")

    def probe(self, address: str) -> Missing | Broken | None:
        """Whether the store can be reached and has the body, by asking for its first byte; None when it has."""
        refused = self._refuse(address)
        if refused is not None:
            return refused
        timeouts = (self._timeouts.connect, self._timeouts.read)
        headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
        try:
            with self._session.get(
                address, headers=headers, timeout=timeouts, stream=True, allow_redirects=False
            ) as response:
                # An empty body has no first byte to give: that is 416.
                ok = response.status_code in (200, 206, 416)
                return None if ok else Missing(response.status_code, _code(response))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as fault:
            return Broken(in_words(fault))

    def _transfer(
        self,
        address: str,
        stream: BinaryIO,
        state: _State,
        progress: Progress | None,
        max_bytes: int,
        turn: AbstractContextManager[object],
    ) -> Missing | Broken | str | None:
        """One connection's worth; `turn` is waited for before the body is read. A str says what cut it."""
        refused = self._refuse(address)
        if refused is not None:
            return refused
        timeouts = (self._timeouts.connect, self._timeouts.read)
        try:
            with (
                self._session.get(
                    address, headers=_range(state), timeout=timeouts, stream=True, allow_redirects=False
                ) as response,
                turn,
            ):
                unusable = _begin(response, stream, state)
                if unusable is not None:
                    return unusable
                return self._copy(response, stream, state, progress, max_bytes)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as fault:
            self._cancellation.check()
            if isinstance(fault, OSError) and fault.errno in _DISK:
                raise GitHubError(
                    "A download cannot be written to the disk.", "Is it full? `triage cache clear`."
                ) from None
            reason = in_words(fault)
        self._cancellation.sleep(0.2)
        return reason

    def _copy(
        self, response: requests.Response, stream: BinaryIO, state: _State, progress: Progress | None, max_bytes: int
    ) -> Broken | str | None:
        started, before = time.monotonic(), state.received
        for piece in chunks(response):
            self._cancellation.check()
            if not state.received and piece[:_SNIFFED].removeprefix(_BOM).lstrip().lower().startswith(_PAGE):
                return Broken(_A_PAGE)
            stream.write(piece)
            state.received += len(piece)
            if state.received > max_bytes:
                return Broken(f"it is larger than {max_bytes >> 20} MiB")
            if progress is not None:
                progress(state.received, state.total)
            spent = time.monotonic() - started
            if spent > GRACE and (state.received - before) / spent < SLOWEST:
                return Broken("the transfer is too slow to end")
        if state.total and state.received < state.total:
            return "it ended early"
        return None

    def _refuse(self, address: str) -> Broken | None:
        try:
            parts = urlsplit(address)
        except ValueError:
            return Broken("GitHub redirects to what is no address")
        if not parts.hostname or (parts.scheme != "https" and (self._encrypted or parts.scheme != "http")):
            return Broken("GitHub redirects to an address that is not https")
        return None

    def close(self) -> None:
        self._session.close()


def _range(state: _State) -> dict[str, str]:
    # Compression would make the byte positions of a resumed transfer mean something else.
    headers = {"Accept-Encoding": "identity"}
    if state.received and state.validator:
        headers |= {"Range": f"bytes={state.received}-", "If-Range": state.validator}
    return headers


def _begin(response: requests.Response, stream: BinaryIO, state: _State) -> Missing | Broken | str | None:
    """Puts the stream where this answer's bytes belong."""
    status = response.status_code
    if status < 300 and response.headers.get("Content-Type", "").strip().lower().startswith(_PAGES):
        # Logs and archives are never pages, nor the words of a store's error: kept, they would be triaged as the log.
        return Broken(_A_PAGE)
    part = response.headers.get("Content-Range", "")
    if status == 206 and part.startswith(f"bytes {state.received}-"):
        # Also where no part was asked for: the rest is still to come.
        state.total = state.total or _length(part.rpartition("/")[2])
        return None
    if status == 200:
        stream.seek(0)
        stream.truncate()
        state.received = 0
        # Of a body that a proxy compressed, neither its length nor its parts are those of what is written.
        packed = response.headers.get("Content-Encoding", "identity").strip().lower() != "identity"
        state.total = 0 if packed else _length(response.headers.get("Content-Length", ""))
        etag = response.headers.get("ETag", "")
        state.validator = "" if packed or etag.startswith("W/") else etag
        return None
    if status >= 500 or status == 429:
        return f"the store failed (HTTP {status})"
    if 300 <= status < 400:
        return Broken("the store redirects once more")
    return Missing(status, _code(response))


def _length(text: str) -> int:
    """0 where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0


def _code(response: requests.Response) -> str:
    """`<Code>BlobNotFound</Code>` of Azure's XML, or its header."""
    named = response.headers.get("x-ms-error-code", "")
    if named:
        return named[:80]
    text = next(chunks(response), b"")[:4096].decode("utf-8", "replace")
    return text.partition("<Code>")[2].partition("</Code>")[0][:80]
