"""Two listeners on loopback: the API, and the store behind its redirects, whose own port makes it another origin."""

from __future__ import annotations

import hashlib
import ssl
import threading
import time
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self
from urllib.parse import urlencode

from triage.demo.server import actions, apps, contents, conversation, issues, objects
from triage.demo.server.faults import BLOB, Fault, Faults
from triage.demo.server.listener import Handler, Listener
from triage.demo.server.routing import Place, Request, Response, Route, failure, find, missing
from triage.demo.server.store import Store
from triage.demo.server.world import World

# The order matters: `commits/{ref}` would swallow the routes below it.
ROUTES = (*actions.ROUTES, *apps.ROUTES, *issues.ROUTES, *conversation.ROUTES, *contents.ROUTES, *objects.ROUTES)
LIMIT = 5000


@dataclass(frozen=True, slots=True)
class Traffic:
    """Seconds before every answer; bytes a second and connections at a time of the store (0: no limit)."""

    latency: float = 0.0
    bytes_per_second: float = 0.0
    connections: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what was answered, for those who check them afterwards."""

    operation: str
    template: str
    request: Request
    response: Response


@dataclass(slots=True)
class Server:
    """`with Server(world) as server:` listens, on ports of the system's choice, until the block ends.

    `api_url` is what a client is given. `record` keeps every exchange in `exchanges`.
    """

    world: World
    traffic: Traffic = Traffic()
    lifetime: float = 60.0  # of a signed address, in seconds
    record: bool = False
    tls: ssl.SSLContext | None = None
    prefix: str = ""  # "/api/v3" for a GitHub Enterprise Server
    faults: Faults = field(default_factory=Faults)
    exchanges: list[Exchange] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    api_url: str = ""
    blob_url: str = ""
    most_transfers: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)
    place: Place = field(init=False)
    slots: threading.Semaphore = field(init=False)
    stopping: threading.Event = field(default_factory=threading.Event)
    _listeners: list[Listener] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _transfers: int = 0

    def __post_init__(self) -> None:
        self.place = Place(self.world, Store(self.lifetime))
        self.slots = threading.Semaphore(self.traffic.connections or 10_000)

    @property
    def scheme(self) -> str:
        return "https" if self.tls is not None else "http"

    def inject(self, *faults: Fault) -> None:
        self.faults.add(faults)

    def start(self) -> None:
        self.api_url = self._listen(_ApiHandler) + self.prefix
        self.blob_url = self.place.store.origin = self._listen(_StoreHandler)

    def _listen(self, kind: type[Handler]) -> str:
        bound = type(kind.__name__, (kind,), {"owner": self, "stopping": self.stopping, "scheme": self.scheme})
        listener = Listener(("127.0.0.1", 0), bound)
        if self.tls is not None:
            listener.socket = self.tls.wrap_socket(listener.socket, server_side=True)
        thread = threading.Thread(target=listener.serve_forever, args=(0.02,), name="triage-server", daemon=True)
        thread.start()
        self._listeners.append(listener)
        self._threads.append(thread)
        return f"{self.scheme}://127.0.0.1:{listener.server_address[1]}"

    def stop(self) -> None:
        self.stopping.set()
        for listener in self._listeners:
            listener.shutdown()
            listener.server_close()
        for thread in self._threads:
            thread.join()
        self._listeners.clear()
        self._threads.clear()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def count(self, name: str) -> None:
        with self.lock:
            self.calls.append(name)

    def transfer(self, change: int) -> None:
        with self.lock:
            self._transfers += change
            self.most_transfers = max(self.most_transfers, self._transfers)


class _ApiHandler(Handler):
    owner: Server

    def _answer(self) -> None:
        request = self._within(self.read_request())
        time.sleep(self.owner.traffic.latency)
        found = find(ROUTES, request.method, request.path)
        name = found[0].name if found else "unknown"
        self.owner.count(name)
        fault = self.owner.faults.strike(name)
        if fault is not None and (fault.status or fault.cut_at == 0) and not fault.done:
            response = _of_fault(fault)
        else:
            with self.owner.lock:
                response = self._respond(request, found)
            if fault is not None and fault.status:
                response = _of_fault(fault)
        if self.owner.record and fault is None:
            template = found[0].template if found else ""
            self.owner.exchanges.append(Exchange(name, template, request, response))
        self.send(response.status, response.content(), self._headers(response).items(), fault)

    def _within(self, request: Request) -> Request:
        """The same request as github.com would get it: an Enterprise Server has its API below a path."""
        prefix = self.owner.prefix
        if not prefix:
            return request
        if request.path == "/api/graphql":
            return replace(request, path="/graphql")
        base, path = f"{request.base}{prefix}", request.path
        return replace(request, base=base, path=path.removeprefix(prefix) if path.startswith(prefix) else "/outside")

    def _respond(self, request: Request, found: tuple[Route, dict[str, str]] | None) -> Response:
        world = self.owner.world
        given = request.headers.get("authorization", "")
        by_app = found is not None and found[0].name in apps.NAMES
        if world.token and not by_app and given.rpartition(" ")[2] != world.token:
            return failure(401, "Bad credentials")
        if found is None:
            return missing()
        route, variables = found
        named = f"{variables.pop('owner', '')}/{variables.pop('repo', '')}"
        if world.former_name and named == world.former_name:
            return _moved(request, world)
        if named not in ("/", world.repository.name):
            return missing()
        return _revalidated(request, route.answer(self.owner.place, request, **variables))

    def _headers(self, response: Response) -> dict[str, str]:
        used = len(self.owner.calls)
        return {
            "Content-Type": "application/json; charset=utf-8",
            "X-RateLimit-Limit": str(LIMIT),
            "X-RateLimit-Remaining": str(max(LIMIT - used, 1)),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Reset": str(int(time.time()) + 3600),
            "X-RateLimit-Resource": "core",
            "X-GitHub-Media-Type": "github.v3; format=json",
            **response.headers,
        }

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815 - the names are http.server's


def _of_fault(fault: Fault) -> Response:
    headers = dict(fault.headers)
    if fault.reset_in:
        headers["X-RateLimit-Reset"] = str(int(time.time()) + fault.reset_in)
    return Response(fault.status or 500, fault.body, headers)


def _moved(request: Request, world: World) -> Response:
    path = request.path.replace(world.former_name, world.repository.name, 1)
    location = f"{request.base}{path}" + (f"?{urlencode(request.query)}" if request.query else "")
    return Response(301, {"message": "Moved Permanently", "url": location}, {"Location": location})


def _revalidated(request: Request, response: Response) -> Response:
    """304 for a client that has the same answer already."""
    if request.method != "GET" or response.status != 200:
        return response
    etag = f'W/"{hashlib.sha256(response.content()).hexdigest()}"'
    if request.headers.get("if-none-match") == etag:
        return Response(304, None, {"ETag": etag})
    return Response(200, response.body, {**response.headers, "ETag": etag})


class _StoreHandler(Handler):
    owner: Server

    def rate(self) -> float:
        return self.owner.traffic.bytes_per_second

    def do_GET(self) -> None:  # noqa: N802 - the name is http.server's
        request = self.read_request()
        time.sleep(self.owner.traffic.latency)
        self.owner.count(BLOB)
        fault = self.owner.faults.strike(BLOB)
        with self.owner.slots:
            self.owner.transfer(+1)
            try:
                self._send_stored(request, fault)
            finally:
                self.owner.transfer(-1)

    def _send_stored(self, request: Request, fault: Fault | None) -> None:
        if fault is not None and fault.status:
            self.send(fault.status, fault.body, fault.headers, fault)
            return
        stored = self.owner.place.store.get(request.path.lstrip("/"), request.query, request.headers)
        self.send(stored.status, stored.content, stored.headers.items(), fault)
