"""What GitHub is asked of one run's surroundings, once each: its pull request, and which other runs there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from triage.errors import GitHubError, RequestsSpent
from triage.model.run import Comparison, NoPullRequest, PullRequest, Run
from triage.pipeline.sightings import EvidenceSource
from triage.pipeline.unasked import Unasked

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budget:
    """How many runs are looked at for a result, and how many of their logs for a cause.

    `base_runs_since`: so far back the last green run of a broken base branch is looked for, without logs.
    """

    base_runs: int = 5
    base_runs_since: int = 20
    other_runs: int = 6
    logs_per_cause: int = 3
    commits: int = 50
    past_runs: int = 20


class Around:
    """Of one run. Its answers are kept; what raises GitHubError is asked again the next time.

    `missing` says what could not be looked up, `unasked` what was not for the limit of requests.
    """

    def __init__(self, source: EvidenceSource, run: Run, budget: Budget) -> None:
        self._source = source
        self._run = run
        self._budget = budget
        self._kept: dict[str, object] = {}
        self.unasked = Unasked()
        self.missing: list[str] = []

    @property
    def pull(self) -> PullRequest | None:
        """The pull request under test; None when there is none, or none that can be told for sure."""
        try:
            found = self._once("pull", self._ask_pull)
        except RequestsSpent as spent:
            self.unasked.add("the pull request", spent)
            return None
        return found if isinstance(found, PullRequest) else None

    def _ask_pull(self) -> PullRequest | NoPullRequest:
        try:
            return self._source.pull_of(self._run)
        except RequestsSpent:
            raise
        except GitHubError as fault:
            self.missing.append(f"the pull request could not be looked up: {fault.message}")
            return NoPullRequest("it could not be looked up")

    @property
    def base_branch(self) -> str:
        if self.pull is not None:
            return self.pull.base_ref
        return self._once("branch", self._source.default_branch)

    def base_runs(self) -> list[Run]:
        branch = self.base_branch
        runs = self._once("base", lambda: self._source.base_runs(self._run, branch, self._budget.base_runs))
        return [run for run in runs if run.id != self._run.id]

    def further_back(self) -> Iterator[Run]:
        yield from self.base_runs()
        limit = self._budget.base_runs_since
        yield from self._once("older", lambda: self._source.base_runs(self._run, self.base_branch, limit))

    def holds(self, sha: str) -> bool:
        """Only a change that was merged, or a commit that is on the branch, can be in the base branch's runs."""
        pull = self.pull
        if pull is None:
            return sha == self._run.head_sha
        merged = pull.merge_sha or pull.head_sha
        return pull.merged and self._once(f"{merged} in {sha}", lambda: self._source.contains(sha, merged))

    def attempts(self) -> Sequence[Run]:
        return self._once("attempts", lambda: self._source.attempts(self._run))

    def other_runs(self) -> list[Run]:
        runs = self._once("others", lambda: self._source.other_runs(self._run, self._budget.other_runs))
        own = self.pull.number if self.pull else 0
        return [run for run in runs if run.head_branch != self._run.head_branch and own not in run.pull_requests]

    def files(self, pull: PullRequest) -> list[str]:
        return self._once("files", lambda: [one.path for one in self._source.changed_files(pull.number)])

    def may_be_kin(self, pull: PullRequest, number: int) -> bool:
        def ask() -> bool:
            return _is_kin(pull, self._once(f"pull {number}", lambda: self._source.pull(number)))

        return self.within("kindred pull requests", True, ask)

    def between(self, green: str, red: str) -> Comparison:
        return self._once(f"{green}...{red}", lambda: self._source.between(green, red, self._budget.commits))

    def _once(self, name: str, ask: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = ask()
        return self._kept[name]  # type: ignore[return-value] # what was kept under a name came from its own question

    def within(self, what: str, otherwise: T, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except RequestsSpent as spent:
            self.unasked.add(what, spent)
        except GitHubError as fault:
            self.missing.append(f"{what} could not be looked up: {fault.message}")
        return otherwise


def _is_kin(pull: PullRequest, other: PullRequest) -> bool:
    stacked = pull.base_ref == other.head_ref or other.base_ref == pull.head_ref
    titles = (pull.title.strip().lower(), other.title.strip().lower())
    reverts = any(one.startswith("revert") and another in one for one, another in (titles, titles[::-1]) if another)
    return stacked or reverts
