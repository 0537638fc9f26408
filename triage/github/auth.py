"""Who we are to GitHub: an explicit token, the environment, a GitHub App, or what `gh` holds."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import github
import jwt
from github.Auth import AppAuth, Auth, Token

from triage.errors import ConfigurationError, UsageError
from triage.github.hosts import is_hosted_by_github, web_host
from triage.github.remedies import OF_GH

GH_TIMEOUT = 10.0
_LONGEST_TOKEN = 8000


@dataclass(frozen=True, slots=True)
class AppKey:
    """A GitHub App: its id, its private key (PEM), and the installation (0: that of the repository)."""

    id: str
    private_key: str = field(repr=False)
    installation: int = 0


@dataclass(frozen=True, slots=True)
class Credentials:
    """`source` says in words where the token comes from; `identity` tells tokens apart without being one."""

    source: str
    token: str = field(default="", repr=False)
    app: AppKey | None = None

    @property
    def anonymous(self) -> bool:
        return not self.token and self.app is None

    @property
    def identity(self) -> str:
        secret = self.token or (f"{self.app.id}/{self.app.installation}" if self.app else "")
        return hashlib.sha256(f"triage {secret}".encode()).hexdigest()[:16]


def find_credentials(api_url: str, token: str, environ: Mapping[str, str], app: AppKey | None = None) -> Credentials:
    """In order: the flag, GH_TOKEN, GITHUB_TOKEN, a GitHub App, `gh auth token`; anonymous when there is none.

    For a GitHub Enterprise Server, GH_ENTERPRISE_TOKEN and GITHUB_ENTERPRISE_TOKEN come before GH_TOKEN, as with gh.
    """
    if token.strip():
        return Credentials("--token", _whole("--token", token))
    host = web_host(api_url)
    names: tuple[str, ...] = ("GH_TOKEN", "GITHUB_TOKEN")
    if not is_hosted_by_github(host):
        names = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", *names)
    for name in names:
        if environ.get(name, "").strip():
            return Credentials(name, _whole(name, environ[name]))
    app = app or app_from(environ)
    if app is not None:
        return Credentials(f"GitHub App {app.id}", app=app)
    from_gh = _token_of_gh(host)
    return Credentials(OF_GH, _whole(OF_GH, from_gh)) if from_gh else Credentials("none (anonymous)")


def _whole(source: str, token: str) -> str:
    """Without blanks around it. UsageError for what no header can carry, and so nobody would take for a token."""
    stripped = token.strip()
    if not stripped.isascii() or not stripped.isprintable() or " " in stripped or len(stripped) > _LONGEST_TOKEN:
        raise UsageError(
            f"What {source} holds is no token: one word of letters, figures and signs.", "Was it copied as a whole?"
        )
    return stripped


def app_from(environ: Mapping[str, str]) -> AppKey | None:
    """TRIAGE_APP_ID, TRIAGE_APP_KEY (the PEM or a file that holds it), TRIAGE_APP_INSTALLATION (optional)."""
    number, key = environ.get("TRIAGE_APP_ID", ""), environ.get("TRIAGE_APP_KEY", "")
    if not number and not key:
        return None
    if not number or not key:
        raise ConfigurationError(
            "A GitHub App needs both TRIAGE_APP_ID and TRIAGE_APP_KEY.", "Set the missing one, or unset the other."
        )
    installation = environ.get("TRIAGE_APP_INSTALLATION", "0")
    if not installation.isdecimal():
        raise ConfigurationError("TRIAGE_APP_INSTALLATION is not a number.", "It ends the installation's URL.")
    return AppKey(number, _pem(key), int(installation))


def _pem(key: str) -> str:
    if "-----BEGIN" in key:
        # Secrets stores often keep the line breaks as the two characters backslash and n.
        return key.replace("\\n", "\n")
    try:
        return Path(key).expanduser().read_text("utf-8")
    except (OSError, ValueError):
        raise ConfigurationError(
            "TRIAGE_APP_KEY is neither a PEM key nor a readable file.", "Give the key that the App's page offers."
        ) from None


def _token_of_gh(host: str) -> str:
    program = shutil.which("gh")
    if program is None:
        return ""
    command = [program, "auth", "token", "--hostname", host]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GH_TIMEOUT, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class InstallationAuth(Auth):
    """An App's installation token, shared by all threads and renewed a minute before it expires.

    PyGithub's own one belongs to a single requester, so that every thread would ask for a token of its own.
    """

    def __init__(self, key: AppKey, repo: str, api_url: str, verify: bool | str) -> None:
        self._key = key
        self._repo = repo
        self._options = {"base_url": api_url, "timeout": 20, "verify": verify, "seconds_between_requests": None}
        self._lock = threading.Lock()
        self._current = ""
        self._expires = datetime.fromtimestamp(0, UTC)

    @property
    def token_type(self) -> str:
        return "token"

    @property
    def token(self) -> str:
        with self._lock:
            if datetime.now(UTC) > self._expires - timedelta(minutes=1):
                self._renew()
            return self._current

    def authentication(self, headers: dict[str, str]) -> None:
        headers["Authorization"] = f"token {self.token}"

    def mask_authentication(self, headers: dict[str, str]) -> None:
        headers["Authorization"] = "(hidden)"

    def _renew(self) -> None:
        try:
            integration = github.GithubIntegration(
                auth=AppAuth(self._key.id, self._key.private_key),
                **self._options,  # type: ignore[arg-type]
            )
            number = self._key.installation or integration.get_repo_installation(*self._repo.split("/", 1)).id
            granted = integration.get_access_token(number)
        except (github.GithubException, jwt.PyJWTError, ValueError, OSError, AssertionError):
            raise ConfigurationError(
                f"GitHub App {self._key.id} gets no token for {self._repo}.",
                "Check the id, the key and that the App is installed on the repository.",
            ) from None
        self._current, self._expires = granted.token, granted.expires_at


def authentication(credentials: Credentials, repo: str, api_url: str, verify: bool | str) -> Auth | None:
    """What PyGithub signs requests with; None for anonymous ones."""
    if credentials.app is not None:
        return InstallationAuth(credentials.app, repo, api_url, verify)
    return Token(credentials.token) if credentials.token else None
