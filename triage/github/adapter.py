"""GitHub as the rest of triage sees it: `connect` and one object whose answers are our own values."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import triage
from triage.errors import GitHubError, UsageError
from triage.github.auth import AppKey, Credentials, authentication, find_credentials
from triage.github.blobs import BlobStore, Broken, Missing
from triage.github.cache import Cache, default_folder, host_of
from triage.github.cancellation import Cancellation, Cancelled
from triage.github.checks import Checks
from triage.github.client import BACKOFF, Client, Settings
from triage.github.comments import Comments
from triage.github.connection import Timeouts
from triage.github.etags import EtagCache
from triage.github.hosts import GITHUB_COM, check_api_url
from triage.github.issues import Issues
from triage.github.logs import FRESH_WAITS, JobLogs, StoredLog, not_written
from triage.github.pace import Limits, Pace
from triage.github.publishing import Publishing
from triage.github.pulls import Pulls
from triage.github.replies import ApiError
from triage.github.repository import Contents
from triage.github.reruns import Reruns
from triage.github.runs import Runs
from triage.github.transfers import Transferred, fetch_side_by_side
from triage.model.run import (
    Allowance,
    Annotation,
    Job,
    NoPullRequest,
    PullRequest,
    Run,
    RunPage,
    Unavailable,
    UnavailableReason,
)

DEFAULT_CONNECTIONS = 4
_REPO = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True, slots=True)
class Options:
    """How to behave; the defaults are right for people and CI. `cache_folder` None: the user's cache folder.

    `ca_bundle` names a file with the accepted certificate authorities ("": the environment's, else the built-in ones).
    """

    cache_folder: Path | None = None
    cache_limit: int = 2 * 1024**3  # bytes
    use_cache: bool = True
    connections: int = DEFAULT_CONNECTIONS
    ca_bundle: str = ""
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    backoff: float = BACKOFF  # seconds before the second try of a failed request
    fresh_waits: tuple[float, ...] = FRESH_WAITS
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)


def connect(
    repo: str, api_url: str = GITHUB_COM, token: str = "", app: AppKey | None = None, options: Options | None = None
) -> GitHub:
    """No request is sent yet. `token` empty: the environment, a GitHub App or `gh`; anonymous when there is none.

    Raises UsageError for a repository or an address that cannot be one, ConfigurationError for half an App.
    """
    options = options or Options()
    if not _REPO.fullmatch(repo):
        raise UsageError(f"{repo!r} is no repository.", "Write it as owner/name.")
    address = check_api_url(api_url)
    return GitHub(repo, address, find_credentials(address, token, options.environ, app), options)


class GitHub:
    """Fulfils `interfaces.RunSource` for one repository; the rest is in `runs`, `pulls`, `comments`, and so on.

    It fulfils `interfaces.HistorySource` too. Safe to use from several threads. Use as a context manager: leaving it
    ends all transfers and waits.
    """

    def __init__(self, repo: str, api_url: str, credentials: Credentials, options: Options) -> None:
        self.repo = repo
        self.api_url = api_url
        self.credentials = credentials
        self._options = options
        self._cancellation = Cancellation()
        folder = (options.cache_folder or default_folder(options.environ)) if options.use_cache else None
        self._cache = Cache(folder, options.cache_limit)
        verify = options.ca_bundle or options.environ.get("SSL_CERT_FILE") or True
        self.client = self._new_client(verify)
        self.blobs = BlobStore(
            self._cancellation, verify, options.connections, options.timeouts, api_url.startswith("https:")
        )
        self._bind(repo)

    def _new_client(self, verify: bool | str) -> Client:
        settings = Settings(
            self.api_url,
            authentication(self.credentials, self.repo, self.api_url, verify),
            f"triage/{triage.__version__}",
            verify,
            self._options.timeouts,
            self._options.backoff,
            "" if self.credentials.anonymous else self.credentials.source,
        )
        identity = f"{self.api_url} {self.credentials.identity}"
        etags = EtagCache(self._cache.folder / "answers", identity) if self._options.use_cache else None
        return Client(settings, Pace(self._options.limits, self._cancellation), self._cancellation, etags)

    def _bind(self, repo: str) -> None:
        client = self.client
        self.runs = Runs(client, repo)
        self.pulls = Pulls(client, repo)
        self.comments = Comments(client, repo)
        self.issues = Issues(client, repo)
        self.checks = Checks(client, repo)
        self.contents = Contents(client, repo)
        self.publishing = Publishing(client, repo)
        self.reruns = Reruns(client, repo)
        self.logs = JobLogs(client, self.blobs, self._cache, repo, fresh_waits=self._options.fresh_waits)

    @property
    def requests_sent(self) -> int:
        """Requests to the API so far, without transfers of logs."""
        return self.client.requests_sent

    def run(self, run_id: int, attempt: int | None = None) -> Run:
        found = self.runs.get(run_id, attempt)
        if found.repo and found.repo != self.repo:
            # It was renamed: GitHub redirects every request to the new name, and the new name saves that.
            self.repo = found.repo
            self._bind(found.repo)
        return found

    def run_page(self, start: datetime, end: datetime, page: int) -> RunPage:
        return self.runs.page(start, end, page)

    def allowance(self) -> Allowance:
        return self.client.allowance

    def jobs(self, run: Run) -> Sequence[Job]:
        return self.runs.jobs(run)

    def all_jobs(self, run: Run) -> Sequence[Job]:
        return self.runs.all_jobs(run)

    def log(self, job: Job) -> StoredLog | Unavailable:
        return self.logs.fetch(job)

    def fetch_logs(
        self, jobs: Sequence[Job], on_progress: Transferred | None = None
    ) -> Iterator[tuple[Job, StoredLog | Unavailable]]:
        """The logs side by side, each as soon as it is there, so that reading one overlaps with fetching others.

        All are on their way when this returns, whether or not the loop has begun; `close` ends them.

        `on_progress` is called from several threads. Leaving the loop early, or an exception in it, ends all transfers
        and closes the adapter.
        """
        return fetch_side_by_side(self.logs, jobs, self._options.connections, self._cancellation, on_progress)

    def annotations(self, job: Job) -> Sequence[Annotation]:
        return self.checks.annotations(job)

    def newer_runs(self, run: Run, until: datetime) -> Sequence[Run]:
        return self.runs.newer(run, until)

    def pull_request_of(self, run: Run) -> PullRequest | None:
        """`pulls.of` also says why there is none."""
        found = self.pulls.of(run)
        return None if isinstance(found, NoPullRequest) else found

    def snapshot(self, sha: str) -> Path | Unavailable:
        path = self._cache.tree_path(host_of(self.api_url), self.repo, sha)
        if self._cache.hit(path):
            return path
        what = f"the tree of {self.repo} at {sha[:12]}"

        def locate() -> str:
            reply = self.client.send("GET", f"/repos/{self.repo}/tarball/{sha}", what)
            return reply.headers.get("location", "")

        try:
            return self._fill(path, locate, what)
        except OSError as fault:
            return Unavailable(UnavailableReason.FAULT, not_written(fault))

    def _fill(self, path: Path, locate: Callable[[], str], what: str) -> Path | Unavailable:
        with self._cache.filling(path) as part:
            try:
                outcome = self.blobs.download(locate, part)
            except Cancelled:
                raise
            except GitHubError as fault:
                refused = isinstance(fault, ApiError) and fault.status in (401, 403)
                reason = UnavailableReason.FORBIDDEN if refused else UnavailableReason.FAULT
                return Unavailable(reason, f"{fault.message} {fault.remedy}".strip())
            match outcome:
                case None:
                    self._cache.keep(part, path)
                    return path
                case Missing(status, _):
                    return Unavailable(UnavailableReason.FAULT, f"{what} is not in the store (HTTP {status}).")
                case Broken(detail):
                    return Unavailable(UnavailableReason.FAULT, f"{what} could not be transferred: {detail}.")

    def close(self) -> None:
        """Ends every wait and transfer. What was fetched stays readable unless the cache was a temporary one."""
        self._cancellation.cancel()
        self.logs.close()
        self.blobs.close()
        self.client.close()
        with contextlib.suppress(OSError):
            self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()
