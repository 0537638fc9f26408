"""Looks up what would tell whose failure it is: base branch, later attempts, other pull requests, the change itself.

Within a budget, and never twice: the jobs and causes of other runs are remembered for the next cause of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from triage.diagnosis.breakage import breakage
from triage.diagnosis.touching import touched
from triage.errors import GitHubError
from triage.model.evidence import Breakage, Findings, Observation, Record, Sight, Subject
from triage.model.result import CauseGroup, Failure
from triage.model.run import NoPullRequest, PullRequest, Run
from triage.pipeline.past import Past
from triage.pipeline.sightings import EvidenceSource, Sightings
from triage.pipeline.triage import Knowledge

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


class Gatherer:
    """Gathers for the causes of one run; `past` answers for what GitHub need not be asked."""

    def __init__(
        self,
        source: EvidenceSource,
        knowledge: Knowledge,
        run: Run,
        budget: Budget = Budget(),
        past: Past | None = None,
    ) -> None:
        self._source = source
        self._run = run
        self._budget = budget
        self._past = past
        self._minimum = knowledge.configuration.minimum_n
        self._sightings = Sightings(source, knowledge)
        self._kept: dict[str, object] = {}
        self.missing: list[str] = []

    def gather(self, group: CauseGroup, failures: Sequence[Failure]) -> tuple[Subject, Findings]:
        """Never raises GitHubError: what could not be looked up is said in `missing`."""
        first = failures[0]
        self._sightings.allow(self._budget.logs_per_cause)
        none: tuple[Observation, ...] = ()
        base = self._within("the runs of the base branch", none, lambda: self._base(group, first))
        findings = Findings(
            base=base,
            attempts=self._within("later attempts", (), lambda: self._later(first)),
            pulls=self._within("other pull requests", (), lambda: self._others(group, first)),
            touched=self._within("the files of the change", (), lambda: self._touched(group, failures)),
            breakage=self._within("since when the base branch fails", None, lambda: self._breakage(base, first)),
            record=self._record(group, first),
        )
        subject = self._subject(first, findings)
        return subject, replace(findings, missing=tuple(dict.fromkeys(self.missing)))

    def look_ahead(self, job_name: str) -> None:
        """Asks all that `gather` asks whatever the cause in this job is: the answers are at hand then.

        Raises GitHubError at the first question without an answer.
        """
        for run in (*self._base_runs(), *self._other_runs()):
            self._sightings.conclusion(run, job_name)
        self._attempts()
        if self.pull is not None:
            self._files(self.pull)

    @property
    def pull(self) -> PullRequest | None:
        """The pull request under test; None when there is none, or none that can be told for sure."""
        found = self._once("pull", self._ask_pull)
        return found if isinstance(found, PullRequest) else None

    def _ask_pull(self) -> PullRequest | NoPullRequest:
        unknown: PullRequest | NoPullRequest = NoPullRequest("it could not be looked up")
        return self._within("the pull request", unknown, lambda: self._source.pull_of(self._run))

    @property
    def base_branch(self) -> str:
        if self.pull is not None:
            return self.pull.base_ref
        return self._once("branch", self._source.default_branch)

    def _subject(self, first: Failure, findings: Findings) -> Subject:
        pull = self.pull
        if pull is None:
            own = self._run.head_repo in {"", self._run.repo}
            on_base = own and self._run.event != "pull_request" and self._run.head_branch == self._try_branch()
            return Subject(author=self._run.actor, tested_sha=_tested(first), on_base=on_base)
        nobody: frozenset[int] = frozenset()
        kin = self._within("kindred pull requests", nobody, lambda: self._kin(pull, findings))
        return Subject(pull.number, pull.author, _tested(first), kin)

    def _try_branch(self) -> str:
        return self._within("the default branch", "", lambda: self.base_branch)

    def _kin(self, pull: PullRequest, findings: Findings) -> frozenset[int]:
        """Of those that show the same cause: its stack (one's head is the other's base) and its reverts."""
        numbers = {seen.pull for seen in findings.pulls if seen.pull and seen.sight is Sight.SAME_CAUSE}
        others = [self._source.pull(number) for number in numbers if number != pull.number]
        return frozenset(other.number for other in others if _is_kin(pull, other))

    def _base(self, group: CauseGroup, first: Failure) -> tuple[Observation, ...]:
        seen = [self._sightings.sight(run, first.diagnosis.job.name, group.id) for run in self._base_runs()]
        return tuple(replace(one, holds_change=self._holds(one.sha)) for one in self._with_past(seen, group, first))

    def _base_runs(self) -> list[Run]:
        branch = self.base_branch
        runs = self._once("base", lambda: self._source.base_runs(self._run, branch, self._budget.base_runs))
        return [run for run in runs if run.id != self._run.id]

    def _with_past(self, seen: Sequence[Observation], group: CauseGroup, first: Failure) -> list[Observation]:
        """What the history knows of runs that were not looked at, or not closely; newest first."""
        if self._past is None or first.run is None:
            return list(seen)
        known = self._past.base(first.run.workflow, first.diagnosis.job.name, group.id, self._budget.past_runs)
        by_run = {one.run: one for one in known if one.run != self._run.id}
        by_run |= {one.run: one for one in seen if one.sight is not Sight.FAILED or one.run not in by_run}
        return [by_run[number] for number in sorted(by_run, reverse=True)]

    def _holds(self, sha: str) -> bool:
        """Only a change that was merged, or a commit that is on the branch, can be in the base branch's runs."""
        pull = self.pull
        if pull is None:
            return sha == self._run.head_sha
        return pull.merged and self._source.contains(sha, pull.merge_sha or pull.head_sha)

    def _breakage(self, base: Sequence[Observation], first: Failure) -> Breakage | None:
        """Looks further back, at conclusions only, when none of the newest runs passed; asks for the commits once."""
        found = breakage(base)
        if found is not None and found.green is None:
            found = breakage([*base, *self._older(base, first)])
        if found is None or found.green is None or not (found.green.sha and found.red.sha):
            return found
        green, red = found.green.sha, found.red.sha
        compared = self._once(f"{green}...{red}", lambda: self._source.between(green, red, self._budget.commits))
        return replace(found, commits=compared.commits, more=compared.truncated)

    def _older(self, base: Sequence[Observation], first: Failure) -> list[Observation]:
        limit = self._budget.base_runs_since
        runs = self._once("older", lambda: self._source.base_runs(self._run, self.base_branch, limit))
        looked_at = {one.run for one in base} | {self._run.id}
        older = []
        for run in runs:
            if run.id not in looked_at:
                older.append(self._sightings.conclusion(run, first.diagnosis.job.name))
                if older[-1].sight is Sight.PASSED:
                    break
        return older

    def _record(self, group: CauseGroup, first: Failure) -> Record | None:
        if self._past is None or first.run is None:
            return None
        own = self.pull.number if self.pull else 0
        job = first.diagnosis.job.name
        return self._past.record(first.run.workflow, job, group.id, group.signature, own, self._minimum)

    def _later(self, first: Failure) -> tuple[Observation, ...]:
        """A rerun tests the same commit: GitHub keeps a run's sha over its attempts."""
        name = first.diagnosis.job.name
        later = [run for run in self._attempts() if run.attempt > first.diagnosis.job.attempt]
        seen = [self._sightings.conclusion(run, name) for run in later]
        return tuple(replace(one, sha=_tested(first)) for one in seen if one.sight is not Sight.DID_NOT_RUN)

    def _attempts(self) -> Sequence[Run]:
        return self._once("attempts", lambda: self._source.attempts(self._run))

    def _others(self, group: CauseGroup, first: Failure) -> tuple[Observation, ...]:
        elsewhere = self._other_runs()
        seen = tuple(self._sightings.sight(run, first.diagnosis.job.name, group.id) for run in elsewhere)
        return (*seen, *self._past_pulls(group, first, {one.run for one in seen} | {self._run.id}))

    def _other_runs(self) -> list[Run]:
        runs = self._once("others", lambda: self._source.other_runs(self._run, self._budget.other_runs))
        own = self.pull.number if self.pull else 0
        return [run for run in runs if run.head_branch != self._run.head_branch and own not in run.pull_requests]

    def _past_pulls(self, group: CauseGroup, first: Failure, known: set[int]) -> Sequence[Observation]:
        if self._past is None or first.run is None:
            return ()
        name = first.diagnosis.job.name
        found = self._past.pulls(first.run.workflow, name, group.id, self._budget.past_runs)
        own = self.pull.number if self.pull else 0
        return [one for one in found if one.run not in known and one.pull and one.pull != own]

    def _touched(self, group: CauseGroup, failures: Sequence[Failure]) -> tuple[str, ...]:
        pull = self.pull
        if pull is None:
            return ()
        files = self._files(pull)
        sentences = [
            sentence
            for failure in failures
            for sentence in touched(failure.cause(group.id), failure.diagnosis.facts, failure.workflow_path, files)
        ]
        return tuple(dict.fromkeys(sentences))

    def _files(self, pull: PullRequest) -> list[str]:
        return self._once("files", lambda: [one.path for one in self._source.changed_files(pull.number)])

    def _once(self, name: str, ask: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = ask()
        return self._kept[name]  # type: ignore[return-value] # what was kept under a name came from its own question

    def _within(self, what: str, otherwise: T, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except GitHubError as fault:
            self.missing.append(f"{what} could not be looked up: {fault.message}")
            return otherwise


def _tested(failure: Failure) -> str:
    return failure.diagnosis.facts.tested_sha or (failure.run.head_sha if failure.run else "")


def _is_kin(pull: PullRequest, other: PullRequest) -> bool:
    stacked = pull.base_ref == other.head_ref or other.base_ref == pull.head_ref
    titles = (pull.title.strip().lower(), other.title.strip().lower())
    reverts = any(one.startswith("revert") and another in one for one, another in (titles, titles[::-1]) if another)
    return stacked or reverts
