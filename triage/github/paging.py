"""Lists that GitHub hands out page by page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from triage.errors import GitHubError
from triage.github import fields
from triage.github.replies import Reply

_PORTS = {"https": 443, "http": 80}
_NEXT = re.compile(r'<([^<>]{1,4096})>; rel="next"')


def items_of(reply: Reply, key: str, what: str) -> list[Any]:
    body = reply.json()
    # A list where an object with one is due is another API's, and its being empty would say that there is nothing.
    found = body if not key else body.get(key) if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise GitHubError(f"GitHub's answer for {what} holds no list.", "Does --api-url name a GitHub?")
    return found


@dataclass(slots=True)
class Whole:
    """Whether all of a list has come, by what its pages count: less must not look like all there is."""

    what: str
    total: int = 0
    nameless: int = 0
    ids: set[int] = field(default_factory=set)

    @property
    def listed(self) -> int:
        """Pages shift while items are added: one that came twice counts once."""
        return len(self.ids) + self.nameless

    @property
    def lacks(self) -> bool:
        return self.listed < self.total

    def add(self, listed: list[Any], reply: Reply) -> None:
        body = reply.json()
        self.total = fields.number(body.get("total_count")) if isinstance(body, dict) else 0
        for one in listed:
            if number := fields.number(one.get("id")) if isinstance(one, dict) else 0:
                self.ids.add(number)
            else:
                self.nameless += 1

    def require(self, ended: bool, pages: int) -> None:
        """GitHubError for less than GitHub counts, and for a list that did not end by itself."""
        if self.lacks:
            rest = f"{self.listed}" if self.listed else "none"
            raise GitHubError(
                f"GitHub counts {self.total} of {self.what}, and lists {rest}.", "Try again in some minutes."
            )
        if not ended:
            raise GitHubError(
                f"GitHub's list of {self.what} does not end within {pages} pages, or leads back to one of them.",
                "Does --api-url name a GitHub? A proxy may answer from its memory.",
            )


def next_page(reply: Reply, api_url: str) -> str | None:
    """GitHubError where the list goes on at another host: the token is not for that one."""
    found = _NEXT.search(reply.headers.get("link", "")[:16384])
    if found is None:
        return None
    address = found.group(1)
    if _origin(address) != _origin(api_url):
        raise GitHubError(
            "GitHub's answer says that the list goes on at another address.", "Does --api-url name the API itself?"
        )
    return address


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", address, None
