"""Lists that GitHub hands out page by page."""

from __future__ import annotations

import re
from typing import Any

from triage.errors import GitHubError
from triage.github.replies import Reply

_NEXT = re.compile(r'<([^<>]{1,4096})>; rel="next"')


def items_of(reply: Reply, key: str, what: str) -> list[Any]:
    body = reply.json()
    found = body.get(key) if key and isinstance(body, dict) else body
    if not isinstance(found, list):
        raise GitHubError(f"GitHub's answer for {what} holds no list.", "Does --api-url name a GitHub?")
    return found


def next_page(reply: Reply) -> str | None:
    found = _NEXT.search(reply.headers.get("link", "")[:16384])
    return found.group(1) if found else None
