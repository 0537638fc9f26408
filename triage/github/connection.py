"""The connection that PyGithub's requester is given: its own has no overall deadline, no size cap and drops queries.

PyGithub keeps verb, URL and body of a request on its connection until the answer is read, so two threads that share
one can get each other's answers: there is one of these, and one `github.Github`, per thread.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import urlsplit

import requests
import urllib3

from triage.errors import GitHubError
from triage.github.cancellation import Cancellation, WatchedAdapter

CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 20.0
DEADLINE = 60.0
MAX_BODY = 64 * 1024 * 1024
CHUNK = 256 * 1024
MAX_REDIRECTS = 3
# Of these, urllib3 takes a body that ends too early for a whole one, or hands it over as it came; nobody asks for them.
_UNREAD = frozenset({"deflate", "br", "zstd", "compress"})
_GZIP, _MEMBER = frozenset({"gzip", "x-gzip"}), b"\x1f\x8b"
# Requests and seconds since 1970; beyond twelve figures no datetime can hold them.
_FIGURES = re.compile(r"[0-9]{1,11}(\.[0-9]{1,9})?")
_WORDS = frozenset({"x-ratelimit-resource"})


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, between two bytes, and for a whole answer of the API."""

    connect: float = CONNECT_TIMEOUT
    read: float = READ_TIMEOUT
    whole: float = DEADLINE


class _Session(requests.Session):
    """Redirects are ours to follow, or not: requests would read each one's address, and end at what is none."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def new_session(cancellation: Cancellation, connections: int, verify: bool | str) -> requests.Session:
    """A session that adds nothing of its own: no .netrc, no cookies, no retries. Proxies come from the environment."""
    session = _Session()
    session.auth = _no_authentication
    session.verify = verify
    session.headers["Accept-Encoding"] = "gzip"
    session.cookies.set_policy(_NoCookies())
    for scheme in ("http://", "https://"):
        session.mount(scheme, WatchedAdapter(cancellation, connections))
    return session


def chunks(response: requests.Response) -> Iterator[bytes]:
    """Decoded pieces as they arrive. `iter_content` waits until a piece is full, past any deadline of its reader.

    Raises urllib3.exceptions.HTTPError when the connection is cut, the body is shorter than announced, or it is
    compressed in a way that was not asked for.
    """
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    named = {one.strip() for one in coding.split(",")}
    if named & _UNREAD or ((len(named) > 1 or "," in coding) and named & _GZIP):
        raise urllib3.exceptions.DecodeError("the body is compressed in a way that was not asked for")
    unpacked = coding in _GZIP
    pieces = iter(lambda: response.raw.read1(CHUNK, decode_content=not unpacked), b"")
    yield from _unpacked(pieces) if unpacked else pieces


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """urllib3 takes a compressed body that ends too early for a whole one, and unpacks a bomb before it shows it."""
    decoder = _member()
    for piece in pieces:
        rest = piece
        while rest and not (decoder.eof and not rest.startswith(_MEMBER)):
            decoder = _member() if decoder.eof else decoder
            yield from filter(None, [_some(decoder, rest)])
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise urllib3.exceptions.ProtocolError("the compressed body ends early")


def _member() -> zlib._Decompress:
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _some(decoder: zlib._Decompress, packed: bytes) -> bytes:
    try:
        return decoder.decompress(packed, CHUNK)
    except zlib.error as fault:
        raise urllib3.exceptions.DecodeError("the compressed body is damaged") from fault


def _no_authentication(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class _NoCookies(DefaultCookiePolicy):
    def set_ok(self, cookie: object, request: object) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _Answer:
    """What PyGithub's requester reads of a response."""

    status: int
    headers: Mapping[str, str]
    text: str

    def getheaders(self) -> ItemsView[str, str]:
        return self.headers.items()

    def read(self) -> str:
        return self.text


def _is_readable(name: str, value: str) -> bool:
    """Limits that are no numbers are as good as none; PyGithub would end at them."""
    figure = name.lower().startswith("x-ratelimit-") and name.lower() not in _WORDS
    return not figure or _FIGURES.fullmatch(value) is not None


class ApiConnection:
    """Fulfils what `Requester.requestJson(cnx=...)` asks of a connection."""

    def __init__(self, api_url: str, session: requests.Session, timeouts: Timeouts, cancellation: Cancellation) -> None:
        parts = urlsplit(api_url)
        self.host = parts.hostname or ""
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._session = session
        self._timeouts = timeouts
        self._cancellation = cancellation
        self._pending: tuple[str, str, str | None, dict[str, str]] | None = None

    def request(self, verb: str, url: str, body: str | None, headers: dict[str, str], stream: bool = False) -> None:
        self._pending = (verb, url, body, headers)

    def getresponse(self) -> _Answer:
        if self._pending is None:
            raise GitHubError("An answer was read before its request was sent.")
        verb, url, body, headers = self._pending
        self._pending = None
        deadline = time.monotonic() + self._timeouts.whole
        for _ in range(MAX_REDIRECTS):
            answer = self._send(verb, url, body, headers, deadline)
            moved = self._moved(verb, answer)
            if moved is None:
                return answer
            url = moved
        raise GitHubError("GitHub redirects in a circle.", "Check --repo and --api-url.")

    def _moved(self, verb: str, answer: _Answer) -> str | None:
        """The new path of a renamed repository, with its query: what was asked was not done at the old one, so that a
        write is sent on too. A GET's 302 is not followed: that is how logs are served."""
        if answer.status not in (301, 307, 308):
            return None
        try:
            location = urlsplit(answer.headers.get("location", ""))
            host = location.hostname or "nowhere"
        except ValueError:
            raise GitHubError(f"{self.host} redirects to what is no address.", "Check --repo and --api-url.") from None
        if f"{location.scheme}://{location.netloc}" != self._origin:
            raise GitHubError(
                f"{self.host} redirects API requests to {host}.",
                "Name that host with --api-url if it is yours; the token was not sent there.",
            )
        return location.path + (f"?{location.query}" if location.query else "")

    def _send(self, verb: str, url: str, body: str | None, headers: dict[str, str], deadline: float) -> _Answer:
        self._cancellation.check()
        timeouts = (self._timeouts.connect, self._timeouts.read)
        with self._session.request(
            verb, self._origin + url, headers=headers, data=body, timeout=timeouts, allow_redirects=False, stream=True
        ) as response:
            lowered = {name.lower(): value for name, value in response.headers.items() if _is_readable(name, value)}
            text = self._read(response, deadline).decode("utf-8", "replace")
        # PyGithub asks again for ever while GitHub says "accepted, not ready": to us that is a failure to retry.
        status = 503 if response.status_code == 202 and verb == "GET" else response.status_code
        return _Answer(status, lowered, text)

    def _read(self, response: requests.Response, deadline: float) -> bytes:
        received = bytearray()
        for chunk in chunks(response):
            self._cancellation.check()
            received += chunk
            if len(received) > MAX_BODY:
                raise GitHubError(f"An answer of {self.host} exceeds {MAX_BODY >> 20} MiB.")
            if time.monotonic() > deadline:
                raise requests.ReadTimeout(f"no complete answer within {self._timeouts.whole:.0f} s")
        return bytes(received)

    def close(self) -> None:
        self._session.close()
