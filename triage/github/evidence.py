"""What the judgement of a failure asks of GitHub, in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from triage.github.runs import RunFilter
from triage.interfaces import LogSource
from triage.model.run import ChangedFile, Comparison, Job, NoPullRequest, PullRequest, Run, Unavailable

if TYPE_CHECKING:
    from triage.github.adapter import GitHub


class Evidence:
    """Fulfils `pipeline.sightings.EvidenceSource`."""

    def __init__(self, github: GitHub) -> None:
        self._github = github

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest:
        return self._github.pulls.of(run)

    def pull(self, number: int) -> PullRequest:
        return self._github.pulls.get(number)

    def default_branch(self) -> str:
        return self._github.contents.repository().default_branch

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        return self._github.runs.on_base(run, branch, limit)

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        wanted = RunFilter(str(run.workflow_id or ""), event="pull_request", status="failure")
        return tuple(self._github.runs.list(wanted, limit))

    def attempts(self, run: Run) -> Sequence[Run]:
        """One request for the run as it is now; earlier attempts than the latest only where there are several."""
        latest = self._github.runs.get(run.id)
        return (run,) if latest.attempt == run.attempt else (run, *self._after(run, latest))

    def _after(self, run: Run, latest: Run) -> Sequence[Run]:
        between = range(run.attempt + 1, latest.attempt)
        return (*(self._github.runs.get(run.id, number) for number in between), latest)

    def jobs(self, run: Run) -> Sequence[Job]:
        return self._github.runs.jobs(run)

    def log(self, job: Job) -> LogSource | Unavailable:
        return self._github.log(job)

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        return self._github.pulls.files(pull)

    def contains(self, descendant: str, ancestor: str) -> bool:
        return self._github.contents.compare(ancestor, descendant, 1).status in {"ahead", "identical"}

    def between(self, base: str, head: str, limit: int) -> Comparison:
        return self._github.contents.compare(base, head, limit)
