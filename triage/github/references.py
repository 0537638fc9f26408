"""What a person pastes: a number, or the URL of a run, an attempt, a job or a pull request. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from triage.errors import UsageError

_REPO = r"/(?P<repo>[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})"
_PATHS = tuple(
    re.compile(f"^{prefix}{_REPO}{path}/?$")
    for prefix, path in (
        ("", r"/actions/runs/(?P<run>\d{1,19})"),
        ("", r"/actions/runs/(?P<run>\d{1,19})/(?:workflow|usage|checks)"),
        ("", r"/actions/runs/(?P<run>\d{1,19})/attempts/(?P<attempt>\d{1,4})"),
        ("", r"/actions/runs/(?P<run>\d{1,19})(?:/attempts/(?P<attempt>\d{1,4}))?/job/(?P<job>\d{1,19})"),
        # Older job URLs name the check run, which has the job's number.
        ("", r"/runs/(?P<job>\d{1,19})"),
        ("", r"/pull/(?P<pull>\d{1,10})(?:/(?:files|commits|checks|conflicts)(?:/[0-9a-f]{1,64})?)?"),
        ("", r""),
        # The API's own addresses, from logs and payloads; a GitHub Enterprise Server puts /api/v3 before them.
        ("(?:/api/v3)?/repos", r"/actions/runs/(?P<run>\d{1,19})(?:/attempts/(?P<attempt>\d{1,4}))?(?:/jobs|/logs)?"),
        ("(?:/api/v3)?/repos", r"/actions/jobs/(?P<job>\d{1,19})(?:/logs)?"),
        ("(?:/api/v3)?/repos", r"/pulls/(?P<pull>\d{1,10})"),
    )
)
_CHECKED_RUN = re.compile(r"(?:^|&)check_run_id=(\d{1,19})(?:&|$)")
_PULL_SHORT = re.compile(r"^(?P<repo>[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})#(?P<pull>\d{1,10})$")


@dataclass(frozen=True, slots=True)
class RunReference:
    """Fields that were not named are 0 or "". A bare number is a run's."""

    run: int = 0
    attempt: int = 0
    job: int = 0
    pull: int = 0
    repo: str = ""
    host: str = ""  # of the site; "api.github.com" is given as "github.com"


def parse_reference(text: str) -> RunReference:
    """Understands numbers, `owner/name#12` and the addresses that a browser shows. UsageError otherwise."""
    cleaned = text.strip().strip("<>")
    if cleaned.isdecimal() and cleaned.isascii() and len(cleaned) < 20 and int(cleaned):
        return RunReference(run=int(cleaned))
    short = _PULL_SHORT.match(cleaned)
    if short and int(short["pull"]):
        return RunReference(repo=short["repo"], pull=int(short["pull"]))
    if "://" not in cleaned:
        cleaned = f"https://{cleaned}"
    try:
        parts = urlsplit(cleaned)
        host = parts.netloc.rpartition("@")[2].lower()
    except ValueError:
        raise _unknown(text) from None
    if parts.scheme not in ("http", "https") or not host or len(cleaned) > 2000:
        raise _unknown(text)
    for pattern in _PATHS:
        found = pattern.match(parts.path)
        # 0 stands for what is not named.
        if found and all(int(value) for name, value in found.groupdict().items() if name != "repo" and value):
            return _reference(found, host, parts.query)
    raise _unknown(text)


def _reference(found: re.Match[str], host: str, query: str) -> RunReference:
    named = {name: int(value) for name, value in found.groupdict().items() if name != "repo" and value}
    checked = _CHECKED_RUN.search(query)
    if checked and "pull" in named:
        named["job"] = int(checked[1])
    return RunReference(repo=found["repo"].removesuffix(".git"), host=host.removeprefix("api."), **named)


def _unknown(text: str) -> UsageError:
    return UsageError(
        f"{text[:200]!r} names no run.",
        "Give a run's number, or the URL of a run, a job or a pull request as the browser shows it.",
    )
