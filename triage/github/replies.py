"""What to do with an answer of the API: take it, wait for a limit, try again, or fail with the remedy. Pure."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from triage.errors import GitHubError
from triage.github import remedies
from triage.model.run import Allowance
from triage.redaction import redact

# GitHub asks for at least a minute when a secondary limit names no time.
SECONDARY_WAIT = 60.0
# Nobody waits so long, and beyond it no date can be counted.
LONGEST_WAIT = 366 * 86400.0
_USED_UP = "the hour's requests are used up"
# A 403 may also mean that a run is too old or still going: only these words speak of permissions.
_PERMISSION_WORDS = ("not accessible", "must have", "permission", "forbidden", "access", "sso", "saml")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer: header names in lower case, the body as text. `what` was asked for, for messages."""

    status: int
    headers: Mapping[str, str]
    text: str
    what: str = ""

    def json(self) -> Any:
        """The decoded body; GitHubError when it is not JSON (a proxy's page, a cut answer)."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            asked = f" for {self.what}" if self.what else ""
            raise GitHubError(
                f"GitHub's answer{asked} (HTTP {self.status}) is not JSON.",
                "Does the address name the API and not the site? `triage doctor` checks it.",
            ) from None


@dataclass(frozen=True, slots=True)
class Take:
    """The answer is what was asked for."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing was done on the server; the same request may be sent after this many seconds."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class Again:
    """The server failed; whether it did something is unknown."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Sending it again cannot help."""


Decision = Take | Wait | Again | Refuse


class ApiError(GitHubError):
    """GitHub answered with an error. `status` is HTTP's; `said` is GitHub's own message."""

    def __init__(self, status: int, message: str, remedy: str, said: str = "") -> None:
        super().__init__(message, remedy)
        self.status = status
        self.said = said


class UncertainWrite(GitHubError):  # noqa: N818 - nothing is known to have gone wrong
    """A write was sent and no answer came: it may have happened. Look before sending it again."""


def decide(reply: Reply, tries: int, write: bool = False) -> Decision:
    """`tries` counts requests sent so far, from 1: secondary limits without a time back off exponentially.

    What a write is answered with another address for was not done.
    """
    match reply.status:
        case status if 300 <= status < 400 and write:
            return Refuse()
        case status if status < 400:
            return Take()
        case 429:
            return _limited(reply, tries)
        case 403 if _is_limit(reply):
            return _limited(reply, tries)
        case status if status >= 500:
            # Proxies before it have codes of their own.
            return Again()
        case _:
            return Refuse()


def _is_limit(reply: Reply) -> bool:
    if "retry-after" in reply.headers or _is_used_up(reply):
        return True
    said = message_of(reply).lower()
    # Its words stand alone where a proxy drops the headers.
    return "rate limit" in said or "abuse detection" in said


def _is_used_up(reply: Reply) -> bool:
    return _number(reply.headers.get("x-ratelimit-remaining")) == 0


def _limited(reply: Reply, tries: int) -> Wait:
    after = _after(reply)
    if after is not None:
        return Wait(min(max(after, 1.0), LONGEST_WAIT), "rate limit")
    if _is_used_up(reply):
        reset = _number(reply.headers.get("x-ratelimit-reset"))
        now = _server_time(reply)
        if reset is not None and now is not None:
            return Wait(min(max(reset - now + 1.0, 1.0), LONGEST_WAIT), _USED_UP)
    hourly = "api rate limit exceeded" in message_of(reply).lower()
    return Wait(SECONDARY_WAIT * 2 ** max(tries - 1, 0), _USED_UP if hourly else "secondary rate limit")


def _after(reply: Reply) -> float | None:
    """Seconds from now that the answer asks to wait: it may name them, or the moment."""
    text = reply.headers.get("retry-after")
    seconds, moment = _number(text), _moment(text)
    if seconds is None and moment is not None:
        return moment - (_server_time(reply) or time.time())
    return seconds


def _number(text: str | None) -> float | None:
    try:
        found = float(text) if text is not None else None
    except ValueError:
        return None
    return found if found is not None and math.isfinite(found) else None


def _server_time(reply: Reply) -> float | None:
    # The reset is in the server's clock: the answer's own date keeps a wrong local clock out of it.
    return _moment(reply.headers.get("date"))


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text is not None else None
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def allowance_in(reply: Reply) -> Allowance | None:
    """Requests left of the hour's, as this answer's headers say; None when they say nothing."""
    remaining = _number(reply.headers.get("x-ratelimit-remaining"))
    reset = _number(reply.headers.get("x-ratelimit-reset"))
    if remaining is None:
        return None
    return Allowance(int(remaining), datetime.fromtimestamp(reset, UTC) if reset is not None else None)


def message_of(reply: Reply) -> str:
    """GitHub's own words, on one line, without control characters and secrets; "" where there are none."""
    try:
        body = json.loads(reply.text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    said = [body, *(errors if isinstance(errors, list) else ())]
    parts = [text for one in said if isinstance(one, dict) and isinstance(text := one.get("message"), str)]
    return harmless("; ".join(part for part in parts if part))


def harmless(text: str) -> str:
    """Foreign text made fit for a message: one line, at most 300 characters, secrets out."""
    return _UNPRINTABLE.sub(" ", redact(text[:2000])).strip()[:300]


def error(reply: Reply, what: str, source: str, writing: str = "") -> ApiError:
    """`what` names the thing in words: "run 42 of example/train"; `source` says where the token is from, "" is none.
    `writing`: the permission that a write takes, "" for what only reads."""
    said = message_of(reply)
    quoted = f": {said}" if said else ""
    match reply.status:
        case 401:
            text = f"GitHub refuses the token for {what} (401{quoted})."
            remedy = remedies.refused_token(source)
        case 403 if said and not any(word in said.lower() for word in _PERMISSION_WORDS):
            text = f"GitHub refuses {what} (403{quoted})."
            remedy = "Its words say why; `triage doctor` says what the token may do."
        case 403:
            text, remedy = f"No permission for {what} (403{quoted}).", _permission(reply, source, writing)
        case 404:
            text, remedy = f"GitHub cannot find {what} (404).", remedies.not_found(what, source, writing)
        case 410:
            text, remedy = f"GitHub no longer has {what} (410{quoted}).", "It has expired or was deleted."
        case status if status >= 500:
            text = f"GitHub failed at {what} (HTTP {status}), repeatedly."
            remedy = "Try again in some minutes; https://www.githubstatus.com tells of outages."
        case status if status < 400:
            text = f"GitHub answered {what} with another address (HTTP {status}): it was not done."
            remedy = "Check --repo and --api-url: was the repository renamed?"
        case 451:
            text, remedy = f"GitHub may not show {what} (451{quoted}).", "It was taken down for legal reasons."
        case status:
            text = f"GitHub did not accept the request for {what} (HTTP {status}{quoted})."
            remedy = remedies.not_accepted(status, said, writing)
    return ApiError(reply.status, text, remedy, said)


def _permission(reply: Reply, source: str, writing: str) -> str:
    needed = harmless(reply.headers.get("x-accepted-github-permissions", ""))
    scopes = harmless(reply.headers.get("x-accepted-oauth-scopes", ""))
    # The header's address holds a secret of the person: it is not shown.
    return remedies.missing_permission(source, needed, scopes, sso="x-github-sso" in reply.headers, writing=writing)
