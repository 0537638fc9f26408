"""One request to GitHub's API: paced, signed, retried only where that is safe, and explained when it is refused."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import github
import requests
import urllib3
from github.Auth import Auth

from triage.errors import GitHubError
from triage.github.cancellation import Cancellation
from triage.github.connection import ApiConnection, Timeouts, new_session
from triage.github.etags import EtagCache
from triage.github.meter import Meter
from triage.github.pace import Pace
from triage.github.paging import Whole, items_of, next_page
from triage.github.remedies import of_writing
from triage.github.replies import Again, Refuse, Reply, Take, UncertainWrite, Wait, allowance_in, decide, error
from triage.github.transport import in_words, network_remedy
from triage.model.run import Allowance

API_VERSION = "2022-11-28"
MAX_TRIES = 4
MAX_LIMITED = 8
MAX_PAGES = 200
_PER_PAGE = 100
BACKOFF = 0.5
# PyGithub and urllib3 write headers, and with them signed addresses, to their debug logs.
for _name in ("github.Requester", "urllib3.connectionpool"):
    logging.getLogger(_name).disabled = True


@dataclass(frozen=True, slots=True)
class Settings:
    """How the client reaches GitHub. `verify`: True, or the path of a file with the accepted authorities.

    `token_source` says in words where the token is from; "" is none.
    """

    api_url: str
    auth: Auth | None
    user_agent: str
    verify: bool | str = True
    timeouts: Timeouts = Timeouts()
    backoff: float = BACKOFF
    token_source: str = ""


class Client:
    """Safe to share: every thread gets its own PyGithub and its own connection, all of them one pace."""

    def __init__(self, settings: Settings, pace: Pace, cancellation: Cancellation, etags: EtagCache | None) -> None:
        self.settings = settings
        self.cancellation = cancellation
        self.pace = pace
        self._etags = etags
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._connections: list[ApiConnection] = []
        self._sent = 0
        self._allowance = Allowance()

    @property
    def requests_sent(self) -> int:
        return self._sent

    @property
    def allowance(self) -> Allowance:
        """What the last answer said about the limit."""
        return self._allowance

    @contextmanager
    def metered(self, meter: Meter) -> Iterator[None]:
        """What this thread asks inside counts on `meter`, whose limit ends it with RequestsSpent."""
        self._threads.meter = meter
        try:
            yield
        finally:
            del self._threads.meter

    def get(self, path: str, what: str, query: Mapping[str, Any] | None = None, accept: str = "") -> Reply:
        """One answer below 400; ApiError otherwise. `what` names the thing for messages."""
        return self._get(_url(path, query), what, accept)[0]

    def _get(self, url: str, what: str, accept: str = "", fresh: bool = False) -> tuple[Reply, bool]:
        """The answer, and whether it is one that was kept; `fresh`: nothing kept is used."""
        kept = self._etags.find(f"{accept} {url}") if self._etags and not fresh else None
        headers = {"If-None-Match": kept.headers["etag"]} if kept else {}
        if accept:
            headers["Accept"] = accept
        reply = self.send("GET", url, what, headers=headers)
        if reply.status == 304 and kept is not None:
            return kept, True
        if self._etags:
            self._etags.keep(f"{accept} {url}", reply)
        return reply, False

    def pages(
        self, path: str, what: str, query: Mapping[str, Any] | None = None, key: str = "", most: int = 0
    ) -> Iterator[Any]:
        """The items of all pages, in order; `key` names the list inside the body where the body is an object.

        GitHubError where the list ends before what it counts, leads back or never ends: nothing is left out in
        silence. `most`: so many pages are enough for the caller, whatever follows.
        """
        asked = {"per_page": _PER_PAGE, **(query or {})}
        url: str | None = _url(path, asked)
        seen: set[str] = set()
        whole = Whole(what)
        while url is not None and url not in seen and len(seen) < (most or MAX_PAGES):
            seen.add(url)
            reply, kept = self._get(url, what)
            if kept and self._next(reply) is None and len(items_of(reply, key, what)) >= _PER_PAGE:
                # An ETag vouches for the items of a page, not for whether another follows by now.
                reply, _ = self._get(url, what, fresh=True)
            listed = items_of(reply, key, what)
            whole.add(listed, reply)
            yield from listed
            url = self._next(reply)
            if url is None and whole.lacks and len(listed) >= _PER_PAGE:
                # A proxy drops the header that names the next page.
                url = _url(path, {**asked, "page": len(seen) + 1})
        if not most:
            whole.require(url is None, len(seen))

    def _next(self, reply: Reply) -> str | None:
        return next_page(reply, self.settings.api_url)

    def onward(self, reply: Reply, what: str, most: int = MAX_PAGES) -> Iterator[Reply]:
        """This page and those that follow it; a list that leads back to a page that was read ends there."""
        seen: set[str] = set()
        yield reply
        while (url := self._next(reply)) is not None and url not in seen and len(seen) < most:
            seen.add(url)
            reply = self.get(url, what)
            yield reply

    def write(
        self, verb: str, path: str, what: str, body: Mapping[str, Any] | None = None, idempotent: bool | None = None
    ) -> Reply:
        """POST is sent once: after a failure without an answer it raises UncertainWrite, and the caller looks first."""
        return self.send(verb, path, what, body=body, idempotent=verb != "POST" if idempotent is None else idempotent)

    def graphql(self, query: str, variables: Mapping[str, Any], what: str) -> Mapping[str, Any]:
        """`data` of the answer. Only for queries and for mutations that may be repeated."""
        url = self._own().github.requester.graphql_url
        body = {"query": query, "variables": dict(variables)}
        answer = self.send("POST", url, what, body=body, idempotent=True).json()
        if not isinstance(answer, dict) or answer.get("errors") or not isinstance(answer.get("data"), dict):
            raise GitHubError(f"GitHub did not accept the query for {what}.", "The token may lack a permission.")
        return cast(Mapping[str, Any], answer["data"])

    def send(
        self,
        verb: str,
        url: str,
        what: str,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotent: bool = True,
    ) -> Reply:
        """The one loop around a request. Returns what is below 400; raises ApiError, UncertainWrite, Cancelled."""
        failures = limited = 0
        meter: Meter | None = getattr(self._threads, "meter", None)
        writing = of_writing(url) if verb != "GET" else ""
        while True:
            if meter is not None:
                meter.take()
            self.pace.take(write=verb != "GET")
            outcome = self._once(verb, url, what, headers or {}, body)
            decision = Again() if isinstance(outcome, str) else decide(outcome, limited + 1, write=verb != "GET")
            match decision, outcome:
                case Take(), Reply() as reply:
                    return reply
                case Wait(seconds, reason), Reply() as reply:
                    limited += 1
                    if limited > MAX_LIMITED:
                        raise error(reply, what, self.settings.token_source, writing)
                    self.pace.pause(seconds, reason)
                case Refuse(), Reply() as reply:
                    raise error(reply, what, self.settings.token_source, writing)
                case _:
                    failures += 1
                    self._after_failure(outcome, what, failures, idempotent)

    def _after_failure(self, outcome: Reply | str, what: str, failures: int, idempotent: bool) -> None:
        """Waits before the next try, or raises what the failure means when there must be none."""
        if not idempotent:
            raise UncertainWrite(f"GitHub did not confirm {what}; it may have happened.", "Look before trying again.")
        if failures >= MAX_TRIES:
            if isinstance(outcome, Reply):
                raise error(outcome, what, self.settings.token_source)
            raise GitHubError(f"{self._host} could not be asked for {what}: {outcome}.", network_remedy(outcome))
        # Jitter, so that threads that failed together do not come back together.
        self.cancellation.sleep(self.settings.backoff * 2 ** (failures - 1) * random.uniform(0.75, 1.25))

    def _once(
        self, verb: str, url: str, what: str, headers: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> Reply | str:
        """The answer, or in words why there is none."""
        own = self._own()
        with self._lock:
            self._sent += 1
        sent = {"Accept": "application/vnd.github+json", **headers}
        try:
            status, received, text = own.github.requester.requestJson(
                verb, url, None, sent, dict(body) if body is not None else None, cast(Any, own.connection)
            )
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as fault:
            self.cancellation.check()
            return in_words(fault)
        reply = Reply(status, received, text, what)
        self._allowance = allowance_in(reply) or self._allowance
        return reply

    @property
    def _host(self) -> str:
        return urlsplit(self.settings.api_url).netloc

    def _own(self) -> _Own:
        found = getattr(self._threads, "own", None)
        if isinstance(found, _Own):
            return found
        own = self._threads.own = self._new()
        with self._lock:
            self._connections.append(own.connection)
        return own

    def _new(self) -> _Own:
        settings = self.settings
        # Retries and gaps of PyGithub are off: it sends POST twice, and its gaps know nothing of other threads.
        client = github.Github(
            auth=settings.auth,
            base_url=settings.api_url,
            user_agent=settings.user_agent,
            verify=settings.verify,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
            api_version=API_VERSION,
        )
        session = new_session(self.cancellation, 1, settings.verify)
        return _Own(client, ApiConnection(settings.api_url, session, settings.timeouts, self.cancellation))

    def close(self) -> None:
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()


@dataclass(frozen=True, slots=True)
class _Own:
    github: github.Github
    connection: ApiConnection


def _url(path: str, query: Mapping[str, Any] | None) -> str:
    kept = {k: v for k, v in (query or {}).items() if v not in (None, "")}
    return f"{path}?{urlencode(sorted(kept.items()))}" if kept else path
