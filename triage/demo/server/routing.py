"""Requests, answers, and the table that joins them. Pages and Link headers are made here, for every list alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from triage.demo.server.store import Store
from triage.demo.server.world import World

DOCUMENTATION = "https://docs.github.example/rest"


@dataclass(frozen=True, slots=True)
class Request:
    """`base` is the address under which the client reached the server; header names are in lower case."""

    base: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> dict[str, Any]:
        """The body as an object; empty when it is none."""
        try:
            decoded = json.loads(self.body or b"{}")
        except ValueError:
            return {}
        return decoded if isinstance(decoded, dict) else {}


@dataclass(frozen=True, slots=True)
class Response:
    """`body` is sent as JSON unless it is bytes; None sends nothing."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True)
class Place:
    """What a route works on."""

    world: World
    store: Store


Answer = Callable[..., Response]


@dataclass(frozen=True, slots=True)
class Route:
    """`template` is the path as GitHub's description writes it; `name` is what faults call it."""

    name: str
    method: str
    template: str
    answer: Answer
    pattern: re.Pattern[str]


def route(name: str, method: str, template: str, answer: Answer) -> Route:
    """`{path}`, `{ref}` and `{basehead}` may hold slashes, every other variable is one part of the path."""
    escaped = re.sub(r"\{(path|ref|basehead)\}", r"(?P<\1>.+?)", template)
    escaped = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", escaped)
    return Route(name, method, template, answer, re.compile(f"^{escaped}$"))


def find(routes: Sequence[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    for one in routes:
        found = one.pattern.match(path) if one.method == method else None
        if found:
            return one, found.groupdict()
    return None


def failure(status: int, message: str, **headers: str) -> Response:
    body = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
    return Response(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def missing() -> Response:
    return failure(404, "Not Found")


def invalid(message: str) -> Response:
    body = {"message": "Validation Failed", "errors": [{"message": message}], "documentation_url": DOCUMENTATION}
    return Response(422, body)


def paged(
    request: Request,
    items: Sequence[Any],
    shape: Callable[[Any], Any],
    key: str = "",
    total: int | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Response:
    """One page of `items`, with the Link header that leads on. `total` is told where more exist than can be listed."""
    size = min(max(_number(request.query.get("per_page"), 30), 1), 100)
    page = max(_number(request.query.get("page"), 1), 1)
    last = max(-(-len(items) // size), 1)
    shown = [shape(item) for item in items[(page - 1) * size : page * size]]
    body = shown if not key else {"total_count": len(items) if total is None else total, key: shown, **(extra or {})}
    links = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    wanted = [name for name in links if (page < last if name in ("next", "last") else page > 1)]
    link = ", ".join(f'<{_page_address(request, links[name], size)}>; rel="{name}"' for name in wanted)
    return Response(200, body, {"Link": link} if link else {})


def _page_address(request: Request, page: int, size: int) -> str:
    query = {**request.query, "per_page": str(size), "page": str(page)}
    return f"{request.base}{request.path}?{urlencode(query)}"


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() else default
