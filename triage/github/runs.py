"""Workflow runs: one, its attempts, its jobs, and lists that reach beyond the 1,000 results of a filtered search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.paging import items_of
from triage.model.run import JOBS_OF_A_PAGE, Artifact, Job, JobPage, Run, RunPage

# GitHub lists at most this many results of a search with filters, and says nothing about the rest.
MOST_LISTED = 1000
_MOST_NEWER = 30
_PULL_EVENTS = frozenset({"pull_request", "pull_request_target", "pull_request_review"})


@dataclass(frozen=True, slots=True)
class RunFilter:
    """What to list. Empty fields do not filter. `status` takes a status or a conclusion; times are inclusive."""

    workflow: str = ""  # file name ("ci.yml"), path of the file, or number
    branch: str = ""
    event: str = ""
    status: str = ""
    actor: str = ""
    head_sha: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def query(self, since: datetime | None, until: datetime | None) -> Mapping[str, Any]:
        named = {
            "branch": self.branch,
            "event": self.event,
            "status": self.status,
            "actor": self.actor,
            "head_sha": self.head_sha,
        }
        return {**named, "created": _window(since, until)}


class Runs:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def get(self, run_id: int, attempt: int | None = None) -> Run:
        """The run's latest attempt, or the given one. Raises ApiError."""
        what = f"run {run_id} of {self._repo}" if attempt is None else f"attempt {attempt} of run {run_id}"
        path = f"/repos/{self._repo}/actions/runs/{run_id}"
        if attempt is not None:
            path += f"/attempts/{attempt}"
        found = decode.decoded(decode.run, self._client.get(path, what).json(), what)
        if found.id != run_id:
            raise GitHubError(f"GitHub's answer for {what} is of run {found.id}.", "Does --api-url name a GitHub?")
        return found

    def attempts(self, run: Run) -> tuple[Run, ...]:
        """All attempts up to this one, oldest first: failures that a rerun turned green are only found here."""
        return (*(self.get(run.id, number) for number in range(1, run.attempt)), run)

    def jobs(self, run: Run) -> tuple[Job, ...]:
        """The jobs of this attempt. Raises ApiError."""
        path = f"/repos/{self._repo}/actions/runs/{run.id}/attempts/{run.attempt}/jobs"
        return self._jobs(path, {}, f"the jobs of run {run.id}")

    def job_page(self, run: Run, page: int) -> JobPage:
        """Page 1, 2, ... of the same, a hundred jobs each: for those who look for one job. Raises ApiError."""
        what = f"the jobs of run {run.id}"
        path = f"/repos/{self._repo}/actions/runs/{run.id}/attempts/{run.attempt}/jobs"
        reply = self._client.get(path, what, {"per_page": JOBS_OF_A_PAGE, "page": page})
        total = decode.total(reply.json(), what)
        listed = tuple(decode.decoded(decode.job, one, what) for one in items_of(reply, "jobs", what))
        return JobPage(total or len(listed), listed)

    def all_jobs(self, run: Run) -> tuple[Job, ...]:
        """Every execution of every attempt; each job says the attempt in which it really ran."""
        path = f"/repos/{self._repo}/actions/runs/{run.id}/jobs"
        return self._jobs(path, {"filter": "all"}, f"all jobs of run {run.id}")

    def job(self, job_id: int) -> Job:
        what = f"job {job_id} of {self._repo}"
        return decode.decoded(
            decode.job, self._client.get(f"/repos/{self._repo}/actions/jobs/{job_id}", what).json(), what
        )

    def _jobs(self, path: str, query: Mapping[str, Any], what: str) -> tuple[Job, ...]:
        found = (decode.decoded(decode.job, one, what) for one in self._client.pages(path, what, query, "jobs"))
        # Pages shift while jobs start: the same one may come twice.
        return tuple({job.id: job for job in found}.values())

    def artifacts(self, run: Run) -> tuple[Artifact, ...]:
        what = f"the artifacts of run {run.id}"
        path = f"/repos/{self._repo}/actions/runs/{run.id}/artifacts"
        return tuple(
            decode.decoded(decode.artifact, one, what) for one in self._client.pages(path, what, key="artifacts")
        )

    def list(self, wanted: RunFilter, limit: int | None = None) -> Iterator[Run]:
        """Newest first, each once, `limit` at most. Windows with 1,000 results or more are halved until they fit.

        A run is listed as its latest attempt and under the time of its first one.
        """
        count = 0
        seen: set[int] = set()
        # The end is frozen: new runs would shift the pages.
        until = wanted.until or (datetime.now(UTC) if wanted.since or limit is None else None)
        for run in self._within(wanted, wanted.since, until, limit):
            if run.id in seen:
                continue
            seen.add(run.id)
            yield run
            count += 1
            if limit is not None and count >= limit:
                return

    def _within(
        self, wanted: RunFilter, since: datetime | None, until: datetime | None, limit: int | None
    ) -> Iterator[Run]:
        workflow = f"the workflow {wanted.workflow} of " if wanted.workflow else ""
        what = f"the runs of {workflow}{self._repo}"
        size = min(100, limit or 100)
        reply = self._client.get(self._path(wanted), what, {**wanted.query(since, until), "per_page": size})
        if decode.total(reply.json(), what) >= MOST_LISTED and (limit is None or limit > MOST_LISTED):
            yield from self._halved(wanted, since, until, limit)
            return
        for page in self._client.onward(reply, what):
            yield from (decode.decoded(decode.run, one, what) for one in items_of(page, "workflow_runs", what))

    def _halved(
        self, wanted: RunFilter, since: datetime | None, until: datetime | None, limit: int | None
    ) -> Iterator[Run]:
        if since is None or until is None:
            raise GitHubError(
                f"{self._repo} has more than {MOST_LISTED} such runs, and no window to divide.",
                "Name a start: --since.",
            )
        middle = (since + (until - since) / 2).replace(microsecond=0)
        if not since <= middle < until:
            raise GitHubError(f"More than {MOST_LISTED} runs started in the same second ({since:%F %T}).")
        yield from self._within(wanted, middle + timedelta(seconds=1), until, limit)
        yield from self._within(wanted, since, middle, limit)

    def _path(self, wanted: RunFilter) -> str:
        if wanted.workflow:
            # GitHub knows a workflow by its file's name, whatever folder a person writes before it.
            name = quote(wanted.workflow.rpartition("/")[2], safe="")
            return f"/repos/{self._repo}/actions/workflows/{name}/runs"
        return f"/repos/{self._repo}/actions/runs"

    def page(self, start: datetime, end: datetime, number: int) -> RunPage:
        """Page 1, 2, ... of the runs created in start..end: for those who keep their own place in a long listing."""
        what = f"the runs of {self._repo}"
        query = {"created": _window(start, end), "per_page": 100, "page": number}
        body = self._client.get(f"/repos/{self._repo}/actions/runs", what, query)
        listed = tuple(decode.decoded(decode.run, one, what) for one in items_of(body, "workflow_runs", what))
        return RunPage(decode.total(body.json(), what), listed)

    def at(self, head_sha: str) -> tuple[Run, ...]:
        """The latest attempts of all workflows' runs for this commit."""
        return tuple(self.list(RunFilter(head_sha=head_sha), MOST_LISTED))

    def on_base(self, run: Run, branch: str, limit: int = 5, until: datetime | None = None) -> tuple[Run, ...]:
        """The newest completed runs of the same workflow on the base branch.

        A fork's branch may bear the same name: runs of other repositories and of pull requests do not count.
        """
        wanted = RunFilter(str(run.workflow_id or ""), branch, status="completed", until=until)
        listed = self.list(wanted, limit * 4)
        own = (one for one in listed if one.head_repo == one.repo and one.event not in _PULL_EVENTS)
        return tuple(one for one, _ in zip(own, range(limit), strict=False))

    def newer(self, run: Run, until: datetime) -> tuple[Run, ...]:
        """The newest ones of the same workflow and branch that were created after `run`, up to `until`: one request.

        Several pull requests from forks may have branches of one name: only runs of the same fork count.
        """
        wanted = RunFilter(str(run.workflow_id or ""), run.head_branch, since=run.created_at, until=until)
        listed = self.list(wanted, _MOST_NEWER)
        return tuple(one for one in listed if one.id > run.id and _same_line(one, run))

    def job_on_base(
        self, run: Run, name: str, branch: str, limit: int = 5, until: datetime | None = None
    ) -> Iterator[tuple[Run, Job]]:
        """What the job of this name did in those runs, newest first, leaving out runs where it did not run.

        Lazy: each step costs the requests of one run's jobs, so that a caller can stop at what it looked for.
        """
        for base in self.on_base(run, branch, limit, until):
            for job in self.jobs(base):
                if job.name == name and job.conclusion not in (None, "skipped"):
                    yield base, job


def _same_line(one: Run, other: Run) -> bool:
    return one.head_repo == other.head_repo and one.workflow_path == other.workflow_path


def _window(since: datetime | None, until: datetime | None) -> str:
    match since, until:
        case None, None:
            return ""
        case None, end:
            return f"<={_iso(end)}"
        case start, None:
            return f">={_iso(start)}"
        case start, end:
            return f"{_iso(start)}..{_iso(end)}"


def _iso(moment: datetime | None) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else ""
