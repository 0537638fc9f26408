"""Lists that GitHub hands out page by page."""

from __future__ import annotations

import re
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


def require_items(listed: list[Any], reply: Reply, what: str) -> None:
    """GitHubError for a first page that counts items and holds none: it must not look like there were none."""
    body = {} if listed else reply.json()
    total = fields.number(body.get("total_count")) if isinstance(body, dict) else 0
    if total:
        raise GitHubError(f"GitHub counts {total} of {what}, and lists none.", "Try again in some minutes.")


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
