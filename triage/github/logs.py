"""The log of one job, on disk: from the cache, from GitHub, from the run's archive, or why there is none."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from triage.errors import GitHubError
from triage.github.blobs import BlobStore, Broken, Missing, Progress
from triage.github.cache import Cache, host_of
from triage.github.cancellation import Cancelled
from triage.github.client import Client
from triage.github.replies import ApiError
from triage.github.zips import extract_job_log
from triage.model.run import Job, Unavailable, UnavailableReason

# A log appears shortly after its job ends; later than this, a 404 is final.
FRESH = 120.0
FRESH_WAITS = (2.0, 5.0, 10.0)
MAX_ARCHIVE = 1024**3


@dataclass(frozen=True, slots=True)
class StoredLog:
    """Fulfils `interfaces.LogSource` with a file of the cache."""

    name: str
    path: Path

    def open(self) -> BinaryIO:
        return self.path.open("rb")


class JobLogs:
    """Safe to call from several threads, for different jobs."""

    def __init__(
        self,
        client: Client,
        blobs: BlobStore,
        cache: Cache,
        repo: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        fresh_waits: tuple[float, ...] = FRESH_WAITS,
    ) -> None:
        self._client = client
        self._blobs = blobs
        self._cache = cache
        self._repo = repo
        self._now = now
        self._fresh_waits = fresh_waits
        self._archive_lock = threading.Lock()
        self._archives: dict[tuple[int, int], Path | Unavailable] = {}

    def fetch(self, job: Job, progress: Progress | None = None) -> StoredLog | Unavailable:
        """The log, or why it is not there. Raises GitHubError only for a token that GitHub refuses, and Cancelled."""
        reason = not_expected(job)
        if reason is not None:
            return reason
        path = self._cache.log_path(host_of(self._client.settings.api_url), self._repo, job)
        if self._cache.hit(path):
            return StoredLog(job.name, path)
        try:
            with self._cache.filling(path) as part:
                missing = self._download(job, part, progress)
                if missing is not None:
                    return missing
                self._cache.keep(part, path)
        except OSError as fault:
            return Unavailable(UnavailableReason.FAULT, not_written(fault))
        return StoredLog(job.name, path)

    def _download(self, job: Job, part: Path, progress: Progress | None) -> Unavailable | None:
        waits = iter(self._fresh_waits)
        while True:
            try:
                outcome: Missing | Broken | ApiError | None = self._blobs.download(
                    lambda: self.address(job), part, progress
                )
            except ApiError as fault:
                outcome = fault
            except Cancelled:
                raise
            except GitHubError as fault:
                return Unavailable(UnavailableReason.FAULT, f"{fault.message} {fault.remedy}".strip())
            wait = next(waits, None)
            if wait is None or not self._may_still_come(job, outcome):
                return self._explain(job, outcome, part)
            self._client.cancellation.sleep(wait)

    def address(self, job: Job) -> str:
        """Where the log is for about a minute: a secret, not to be shown. Raises ApiError, GitHubError."""
        what = f"the log of job {job.id}"
        reply = self._client.send("GET", f"/repos/{self._repo}/actions/jobs/{job.id}/logs", what)
        location = reply.headers.get("location", "")
        if not location:
            raise GitHubError(f"GitHub's answer for {what} names no address.", "Does --api-url name a GitHub?")
        return location

    def _may_still_come(self, job: Job, outcome: Missing | Broken | ApiError | None) -> bool:
        absent = isinstance(outcome, Missing | ApiError) and outcome.status == 404
        if not absent or job.completed_at is None or runner_was_lost(job):
            return False
        return (self._now() - job.completed_at).total_seconds() < FRESH

    def _explain(self, job: Job, outcome: Missing | Broken | ApiError | None, part: Path) -> Unavailable | None:
        match outcome:
            case None:
                return None
            case ApiError(status=401):
                raise outcome
            case ApiError(status=410) | Missing(status=410):
                return Unavailable(UnavailableReason.EXPIRED, "GitHub has deleted this log: it expired.")
            case ApiError(status=403):
                return Unavailable(UnavailableReason.FORBIDDEN, f"{outcome.message} {outcome.remedy}")
            case Missing(status=404) | ApiError(status=404) if runner_was_lost(job):
                return _lost(job)
            case Missing(status=404, code=code):
                return Unavailable(
                    UnavailableReason.NOT_UPLOADED, f"The job ended without uploading its log ({code or 'not found'})."
                )
            case ApiError() | Broken() | Missing():
                return self._from_archive(job, outcome, part)

    def _from_archive(self, job: Job, outcome: Missing | Broken | ApiError, part: Path) -> Unavailable | None:
        """The run's archive may hold what the job's own address does not."""
        archive = self._archive(job)
        if isinstance(archive, Path) and extract_job_log(archive, job, part) is None:
            return None
        match outcome:
            case ApiError(status=404):
                return Unavailable(UnavailableReason.NOT_UPLOADED, "GitHub holds no log of this job (404).")
            case ApiError():
                return Unavailable(UnavailableReason.FAULT, outcome.message)
            case Missing(status, code):
                return Unavailable(
                    UnavailableReason.FAULT, f"The log store refuses the log (HTTP {status} {code}).".replace(" )", ")")
                )
            case Broken(detail):
                return Unavailable(UnavailableReason.FAULT, f"The log could not be transferred: {detail}.")

    def _archive(self, job: Job) -> Path | Unavailable:
        key = (job.run_id, job.attempt)
        with self._archive_lock:
            if key not in self._archives:
                self._archives[key] = self._download_archive(job)
            return self._archives[key]

    def _download_archive(self, job: Job) -> Path | Unavailable:
        path = self._cache.folder / "logs" / f"archive-{job.run_id}-{job.attempt}-{id(self)}.part"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)

        def locate() -> str:
            url = f"/repos/{self._repo}/actions/runs/{job.run_id}/attempts/{job.attempt}/logs"
            return self._client.send("GET", url, f"the log archive of run {job.run_id}").headers.get("location", "")

        whole = False
        try:
            whole = self._blobs.download(locate, path, max_bytes=MAX_ARCHIVE) is None
        except Cancelled:
            raise
        except GitHubError as fault:
            return Unavailable(UnavailableReason.FAULT, fault.message)
        finally:
            if not whole:
                path.unlink(missing_ok=True)
        return path if whole else Unavailable(UnavailableReason.FAULT, "no archive")

    def close(self) -> None:
        for archive in self._archives.values():
            if isinstance(archive, Path):
                with contextlib.suppress(OSError):
                    archive.unlink()


def not_written(fault: OSError) -> str:
    why = f" ({fault.strerror})" if fault.strerror else ""
    return f"It cannot be written to the cache's disk{why}. Is it full? `triage cache clear`."


def not_expected(job: Job) -> Unavailable | None:
    """Jobs that have no log yet, or never had one: GitHub need not be asked."""
    if job.status == "in_progress":
        return Unavailable(UnavailableReason.IN_PROGRESS, "The job is still running.")
    if job.status != "completed":
        return Unavailable(UnavailableReason.NEVER_STARTED, f"The job has not started: it is {job.status}.")
    if job.conclusion == "skipped":
        return Unavailable(UnavailableReason.NEVER_STARTED, "The job was skipped.")
    if job.conclusion == "cancelled" and not job.steps and not job.runner_name:
        return Unavailable(UnavailableReason.NEVER_STARTED, "The job was cancelled before a runner took it.")
    return None


def runner_was_lost(job: Job) -> bool:
    """The job ended while a step of it still ran: nobody was left to report the step's end, or to upload the log."""
    return job.status == "completed" and any(step.status == "in_progress" for step in job.steps)


def _lost(job: Job) -> Unavailable:
    step = next(step.name for step in job.steps if step.status == "in_progress")
    runner = f" {job.runner_name}" if job.runner_name else ""
    return Unavailable(
        UnavailableReason.RUNNER_LOST, f"The runner{runner} was lost during step “{step}”; no log was uploaded."
    )
