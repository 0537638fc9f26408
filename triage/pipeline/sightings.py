"""What other executions of a job showed: asked of GitHub once each, logs within an allowance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from triage.interfaces import LogSource
from triage.model.evidence import Observation, Sight
from triage.model.run import ChangedFile, Comparison, Job, JobPage, NoPullRequest, PullRequest, Run, Unavailable
from triage.pipeline.triage import FailedJob, Knowledge, examine

_NO_RUN = frozenset({"skipped", "neutral", "cancelled", None})


class EvidenceSource(Protocol):
    """What the look-up needs of GitHub. Each call costs about one request; each may raise GitHubError, RequestsSpent
    when it was not asked because a limit of requests was reached."""

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest: ...

    def pull(self, number: int) -> PullRequest: ...

    def default_branch(self) -> str: ...

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        """The newest completed runs of the same workflow on a branch of the repository itself."""
        ...

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        """The newest failed runs of the same workflow for pull requests."""
        ...

    def attempts(self, run: Run) -> Sequence[Run]:
        """All attempts of the run, oldest first."""
        ...

    def job_page(self, run: Run, page: int) -> JobPage:
        """Page 1, 2, ... of the run's jobs."""
        ...

    def log(self, job: Job) -> LogSource | Unavailable: ...

    def changed_files(self, pull: int) -> Sequence[ChangedFile]: ...

    def contains(self, descendant: str, ancestor: str) -> bool:
        """Whether the history of one commit holds the other."""
        ...

    def between(self, base: str, head: str, limit: int) -> Comparison:
        """The commits that head has and base lacks, oldest first, `limit` at most."""
        ...


@dataclass(slots=True)
class _Listing:
    """The pages of one run's jobs that were asked for, and how many there are; 0 before the first answer."""

    count: int = 0
    pages: dict[int, Sequence[Job]] = field(default_factory=dict)

    def jobs(self) -> Iterator[Job]:
        for jobs in self.pages.values():
            yield from jobs


class Sightings:
    """`pages`: on which page of its own run's jobs each job stood, by name. Mostly it stands there in others too."""

    def __init__(self, source: EvidenceSource, knowledge: Knowledge, pages: Mapping[str, int] | None = None) -> None:
        self._source = source
        self._knowledge = knowledge
        self._pages = pages or {}
        self._listings: dict[tuple[int, int], _Listing] = {}
        self._causes: dict[int, frozenset[str]] = {}
        self._allowed = 0

    def allow(self, logs: int) -> None:
        """How many logs may be fetched from now on."""
        self._allowed = logs

    def sight(self, run: Run, job_name: str, cause: str) -> Observation:
        """What the job of this name showed in a run: passed, the same cause, another, or nothing that counts."""
        seen = self.conclusion(run, job_name)
        if seen.sight is not Sight.FAILED:
            return seen
        job = self._job(run, job_name)
        causes = self._causes_of(job) if job else None
        if causes is None:
            return seen
        return _observed(run, Sight.SAME_CAUSE if cause in causes else Sight.OTHER_CAUSE)

    def conclusion(self, run: Run, job_name: str) -> Observation:
        """The same without looking at logs: passed, failed, did not run."""
        job = self._job(run, job_name)
        if job is None or job.conclusion in _NO_RUN:
            return _observed(run, Sight.DID_NOT_RUN)
        return _observed(run, Sight.PASSED if job.conclusion == "success" else Sight.FAILED)

    def _job(self, run: Run, name: str) -> Job | None:
        """Page by page, the likely one first, until the job's name is found."""
        listing = self._listings.setdefault((run.id, run.attempt), _Listing())
        while True:
            found = next((job for job in listing.jobs() if job.name == name), None)
            page = self._next_page(listing, name)
            if found is not None or page is None:
                return found
            answer = self._source.job_page(run, page)
            listing.pages[page], listing.count = answer.jobs, answer.pages

    def _next_page(self, listing: _Listing, name: str) -> int | None:
        likely = self._pages.get(name, 1)
        if not listing.pages:
            return likely
        order = (likely, *range(1, listing.count + 1))
        return next((page for page in order if page <= listing.count and page not in listing.pages), None)

    def _causes_of(self, job: Job) -> frozenset[str] | None:
        """Cause ids that the job's log names; None when it may not be fetched, is not there, or names none."""
        if job.id not in self._causes:
            if self._allowed <= 0:
                return None
            log = self._source.log(job)
            self._allowed -= 1
            failures = examine(FailedJob(job, log), self._knowledge)
            self._causes[job.id] = frozenset(cause.id for one in failures for cause in one.diagnosis.causes)
        return self._causes[job.id] or None


def _observed(run: Run, sight: Sight) -> Observation:
    pull = run.pull_requests[0] if run.pull_requests else 0
    when = f" of {run.created_at:%Y-%m-%d}" if run.created_at else ""
    label = f"attempt {run.attempt} of run {run.id}" if run.attempt > 1 else f"run {run.id}{when}"
    return Observation(sight, label, run.url, run.head_sha, run.actor, pull, run=run.id)
