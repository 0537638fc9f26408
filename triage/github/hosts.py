"""Where the API of a GitHub lives, and which hosts may be sent a token."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from triage.errors import UsageError

GITHUB_COM = "https://api.github.com"
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


def api_url_for(host: str) -> str:
    """github.com, `SUB.ghe.com` (data residency) or a GitHub Enterprise Server -> its API's base address."""
    host = host.lower()
    if host in ("github.com", "www.github.com", "api.github.com"):
        return GITHUB_COM
    if host.endswith(".ghe.com"):
        return f"https://api.{host.removeprefix('api.')}"
    return f"https://{host}/api/v3"


def web_host(api_url: str) -> str:
    """The host that people open in a browser, port kept: what `gh auth token --hostname` wants."""
    parts = urlsplit(api_url)
    host = (parts.netloc.rpartition("@")[2]).lower()
    return "github.com" if host == "api.github.com" else host.removeprefix("api.")


def is_hosted_by_github(host: str) -> bool:
    return host == "github.com" or host.endswith(".ghe.com")


def resolve_api_url(flag: str, reference_host: str, environ: Mapping[str, str]) -> str:
    """The API to talk to: `--api-url`, else the host of a pasted URL, else GITHUB_API_URL, GH_HOST, github.com.

    A pasted URL must not decide where the token goes: its host counts only when it is GitHub's own or configured.
    """
    configured = _configured(flag, environ)
    if not reference_host:
        return check_api_url(configured or GITHUB_COM)
    host = reference_host.lower().removeprefix("www.")
    if configured and web_host(configured) == host:
        return check_api_url(configured)
    if flag:
        raise UsageError(
            f"The URL is of {host}, but --api-url names {web_host(flag)}.", "Give one of them, or make them agree."
        )
    if is_hosted_by_github(host):
        return api_url_for(host)
    raise UsageError(
        f"{host} is not a GitHub that is configured here; no token is sent to it.",
        f"If it is yours: --api-url {api_url_for(host)}, or GH_HOST={host}.",
    )


def _configured(flag: str, environ: Mapping[str, str]) -> str:
    if flag:
        return flag
    if environ.get("GITHUB_API_URL", "").strip():
        return environ["GITHUB_API_URL"].strip()
    host = environ.get("GH_HOST", "").strip()
    if host and not _HOST.fullmatch(host):
        raise UsageError(f"GH_HOST={host[:200]!r} is no host.", "Example: github.example, without https:// and path.")
    return api_url_for(host) if host else ""


def check_api_url(api_url: str) -> str:
    """The address without a slash at its end. UsageError unless it is https, or http on this machine."""
    try:
        parts = urlsplit(api_url)
        _ = parts.port  # raises when it is none
    except ValueError as fault:
        raise UsageError(f"The API's address: {fault}.", "Example: https://github.example/api/v3") from fault
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError("The API's address holds more than host and path.", "Example: https://github.example/api/v3")
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise UsageError(f"{api_url[:200]!r} is no address of an API.", "Example: https://github.example/api/v3")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise UsageError(f"{parts.hostname} would get the token unencrypted.", "Use https.")
    return api_url.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
