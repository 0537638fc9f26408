"""What the judgement of a failure asks of GitHub, in its own words, within a limit of requests."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from triage.github.meter import Meter
from triage.github.runs import RunFilter
from triage.interfaces import LogSource
from triage.model.run import ChangedFile, Commit, Comparison, Job, JobPage, NoPullRequest, PullRequest, Run, Unavailable

if TYPE_CHECKING:
    from triage.github.adapter import GitHub

_REMEDY = "--evidence-requests N allows more"


class Evidence:
    """Fulfils `EvidenceSource`, `Requests` and, for the notes beside a patch, `Contents` of the pipeline.

    There is no limit until `allow` sets one.

    Every method raises RequestsSpent instead of sending a request beyond the limit. `latest`: runs that were just
    found as their latest attempt, which need not be asked for again.
    """

    def __init__(self, github: GitHub, latest: Sequence[Run] = ()) -> None:
        self._github = github
        self._latest = {run.id: run for run in latest}
        self._meter = Meter("evidence", remedy=_REMEDY)

    @property
    def others(self) -> int:
        """Requests sent so far for anything else."""
        return self._github.requests_sent - self._meter.spent

    def allow(self, most: int) -> None:
        self._meter.most = max(0, most)

    def _asking(self) -> AbstractContextManager[None]:
        return self._github.client.metered(self._meter)

    def read(self, path: str, ref: str = "") -> bytes | None:
        with self._asking():
            return self._github.contents.read(path, ref)

    def commits(self, path: str = "", ref: str = "", limit: int = 20) -> Sequence[Commit]:
        with self._asking():
            return self._github.contents.commits(path, ref, limit)

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest:
        with self._asking():
            return self._github.pulls.of(run)

    def pull(self, number: int) -> PullRequest:
        with self._asking():
            return self._github.pulls.get(number)

    def default_branch(self) -> str:
        with self._asking():
            return self._github.contents.repository().default_branch

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        with self._asking():
            return self._github.runs.on_base(run, branch, limit)

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        wanted = RunFilter(str(run.workflow_id or ""), event="pull_request", status="failure")
        with self._asking():
            return tuple(self._github.runs.list(wanted, limit))

    def attempts(self, run: Run) -> Sequence[Run]:
        """Asks for the run as it is now, unless that is how it was found; earlier attempts where there are several."""
        with self._asking():
            latest = self._latest.get(run.id) or self._github.runs.get(run.id)
            return (run,) if latest.attempt == run.attempt else (run, *self._after(run, latest))

    def _after(self, run: Run, latest: Run) -> Sequence[Run]:
        between = range(run.attempt + 1, latest.attempt)
        return (*(self._github.runs.get(run.id, number) for number in between), latest)

    def job_page(self, run: Run, page: int) -> JobPage:
        with self._asking():
            return self._github.runs.job_page(run, page)

    def log(self, job: Job) -> LogSource | Unavailable:
        with self._asking():
            # The adapter takes a request that was not sent for a log that is not there.
            self._meter.check()
            return self._github.log(job)

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        with self._asking():
            return self._github.pulls.files(pull)

    def contains(self, descendant: str, ancestor: str) -> bool:
        with self._asking():
            return self._github.contents.compare(ancestor, descendant, 1).status in {"ahead", "identical"}

    def between(self, base: str, head: str, limit: int) -> Comparison:
        with self._asking():
            return self._github.contents.compare(base, head, limit)
