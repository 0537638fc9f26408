"""A message to a chat's incoming webhook. The address is a secret: it is never shown."""

from __future__ import annotations

from urllib.parse import urlsplit

import requests
import urllib3

from triage.errors import GitHubError, UsageError
from triage.github.transport import in_words

SECONDS = 20
_SHOWN = "Give the address that the chat shows for it."
_ALIVE = "Is the webhook still active, and its address whole?"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def post(address: str, text: str) -> None:
    """Raises UsageError for an address that is none or not https, GitHubError when the message is not taken."""
    host = _host(address)
    try:
        reply = requests.post(address, json={"text": text}, timeout=SECONDS, allow_redirects=False)
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as fault:
        # Its text would hold the address.
        raise GitHubError(f"The webhook on {host} did not answer: {in_words(fault)}.", _ALIVE) from None
    # Some chats only say that they have it (202), or nothing (204).
    if not 200 <= reply.status_code < 300:
        raise GitHubError(f"The webhook on {host} refused the message (HTTP {reply.status_code}).", _ALIVE)


def _host(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        raise UsageError("The webhook's address is none.", _SHOWN) from None
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        raise UsageError("The webhook's address is not https.", _SHOWN)
    return host
