"""Starting jobs again. A rerun is a write that costs machines: it is sent once, and a refusal is reported as it is."""

from __future__ import annotations

from triage.github.client import Client
from triage.model.run import Job, Run

# `enable_debug_logging` stays off: it makes logs huge and may print more secrets.
_BODY = {"enable_debug_logging": False}


class Reruns:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def failed_jobs(self, run: Run) -> None:
        """Raises ApiError with GitHub's reason (too old, still running, forbidden), UncertainWrite without answer."""
        self._post(f"runs/{run.id}/rerun-failed-jobs", f"the rerun of the failed jobs of run {run.id}")

    def whole(self, run: Run) -> None:
        self._post(f"runs/{run.id}/rerun", f"the rerun of run {run.id}")

    def job(self, job: Job) -> None:
        """This job and those that need it."""
        self._post(f"jobs/{job.id}/rerun", f"the rerun of job {job.id}")

    def _post(self, path: str, what: str) -> None:
        self._client.write("POST", f"/repos/{self._repo}/actions/{path}", what, _BODY)
