"""A message to a chat's incoming webhook. The address is a secret: it is never shown."""

from __future__ import annotations

from urllib.parse import urlsplit

import requests

from triage.errors import GitHubError, UsageError

SECONDS = 20
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def post(address: str, text: str) -> None:
    """Raises UsageError for an address that is not https, GitHubError when the message is not taken."""
    parts = urlsplit(address)
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)):
        raise UsageError("The webhook's address is not https.", "Give the address that the chat shows for it.")
    try:
        reply = requests.post(address, json={"text": text}, timeout=SECONDS, allow_redirects=False)
    except requests.RequestException as fault:
        # Its text would hold the address.
        raise GitHubError(f"The webhook on {parts.hostname} did not answer ({type(fault).__name__}).") from None
    if reply.status_code != 200:
        raise GitHubError(
            f"The webhook on {parts.hostname} refused the message (HTTP {reply.status_code}).",
            "Is the webhook still active, and its address whole?",
        )
