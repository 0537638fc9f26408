"""Looks up what would tell whose failure it is: base branch, later attempts, other pull requests, the change itself.

Within a budget, and never twice: the jobs and causes of other runs are remembered for the next cause of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triage.diagnosis.breakage import breakage
from triage.diagnosis.touching import touched
from triage.diagnosis.verdict import ENOUGH_BASE_RUNS, is_settled, passed_later
from triage.errors import GitHubError, RequestsSpent
from triage.model.evidence import Breakage, Findings, Observation, Record, Sight, Subject
from triage.model.result import CauseGroup, Failure
from triage.model.run import PullRequest, Run
from triage.model.signature import Category
from triage.pipeline.around import Around, Budget
from triage.pipeline.group import is_generic
from triage.pipeline.past import Past
from triage.pipeline.sightings import EvidenceSource, Sightings
from triage.pipeline.triage import Knowledge
from triage.pipeline.unasked import Unasked

_NONE_SEEN: tuple[Observation, ...] = ()


class Gatherer:
    """Gathers for the causes of one run; `past` answers for what GitHub need not be asked.

    What decides most is asked first, and no more once it decides: `source` may end the search with RequestsSpent.
    `pages`: on which page of the run's jobs each job stands.
    """

    def __init__(
        self,
        source: EvidenceSource,
        knowledge: Knowledge,
        run: Run,
        budget: Budget = Budget(),
        past: Past | None = None,
        pages: Mapping[str, int] | None = None,
    ) -> None:
        self._run = run
        self._budget = budget
        self._past = past
        self._catalogue = knowledge.catalogue
        self._minimum = knowledge.configuration.minimum_n
        self._sightings = Sightings(source, knowledge, pages)
        self._near = Around(source, run, budget)

    def gather(self, group: CauseGroup, failures: Sequence[Failure]) -> tuple[Subject, Findings]:
        """Never raises GitHubError: what could not be looked up, or was not for the limit, is said in `missing`."""
        first = failures[0]
        self._near.unasked = Unasked()
        self._sightings.allow(self._budget.logs_per_cause)
        attempts = self._near.within("later attempts", _NONE_SEEN, lambda: self._later(first))
        findings = Findings(attempts=attempts)
        if not passed_later(_tested(first), attempts):
            findings = self._around(group, failures, findings)
        findings = replace(findings, record=self._record(group, first))
        subject = self._subject(first, findings)
        return subject, replace(findings, missing=(*dict.fromkeys(self._near.missing), *self._near.unasked.sentences()))

    def _around(self, group: CauseGroup, failures: Sequence[Failure], findings: Findings) -> Findings:
        """The base branch; where it does not decide, the change and other pull requests."""
        first, generic = failures[0], is_generic(group, self._catalogue)
        base = self._near.within("the runs of the base branch", _NONE_SEEN, lambda: self._base(group, first, generic))
        findings = replace(findings, base=base)
        by_base = not generic and any(seen.sight is Sight.SAME_CAUSE and not seen.holds_change for seen in base)
        if not by_base and first.cause(group.id).category is not Category.INFRA:
            unknown: tuple[str, ...] = ()
            edits = self._near.within("the files of the change", unknown, lambda: self._touched(group, failures))
            findings = replace(findings, touched=edits)
            if not generic:
                pulls, cut = self._others(group, first)
                findings = replace(findings, pulls=pulls, pulls_unseen=cut)
        return findings

    def since(self, base: Sequence[Observation], failures: Sequence[Failure]) -> tuple[Breakage | None, Sequence[str]]:
        """Since when a base branch that was `gather`ed fails, and what could not be looked up for that.

        It decides no verdict: ask it once all causes have theirs.
        """
        self._near.unasked, self._near.missing = Unasked(), []
        what = "since when the base branch fails"
        found = self._near.within(what, None, lambda: self._breakage(base, failures[0]))
        return found, (*self._near.missing, *self._near.unasked.sentences())

    def look_ahead(self, job_name: str) -> None:
        """Asks all that `gather` asks whatever the cause in this job is: the answers are at hand then.

        Raises GitHubError at the first question without an answer.
        """
        self._near.attempts()
        passed = 0
        for run in self._near.base_runs():
            seen = self._sightings.conclusion(run, job_name)
            if seen.sight is Sight.FAILED:
                return  # its log comes next, and may decide
            passed += seen.sight is Sight.PASSED
            if passed == ENOUGH_BASE_RUNS:
                break
        if self._near.pull is not None:
            self._near.files(self._near.pull)
        for run in self._near.other_runs():
            self._sightings.conclusion(run, job_name)

    def _subject(self, first: Failure, findings: Findings) -> Subject:
        pull = self._near.pull
        if pull is None:
            own = self._run.head_repo in {"", self._run.repo}
            on_base = own and self._run.event != "pull_request" and self._run.head_branch == self._try_branch()
            return Subject(author=self._run.actor, tested_sha=_tested(first), on_base=on_base)
        return Subject(pull.number, pull.author, _tested(first), self._kin(pull, findings))

    def _try_branch(self) -> str:
        return self._near.within("the default branch", "", lambda: self._near.base_branch)

    def _kin(self, pull: PullRequest, findings: Findings) -> frozenset[int]:
        """Of those that show the same cause: its stack (one's head is the other's base) and its reverts.

        One that could not be looked up may be any of these.
        """
        numbers = {seen.pull for seen in findings.pulls if seen.pull and seen.sight is Sight.SAME_CAUSE}
        return frozenset(number for number in numbers - {pull.number} if self._near.may_be_kin(pull, number))

    def _base(self, group: CauseGroup, first: Failure, generic: bool) -> tuple[Observation, ...]:
        """The newest runs first, until one settles it. RequestsSpent ends the search with what was seen."""
        runs = self._near.base_runs()
        seen: list[Observation] = []
        for place, run in enumerate(runs):
            try:
                seen.append(self._of_base(run, first.diagnosis.job.name, "" if generic else group.id))
            except RequestsSpent as spent:
                count = f"{len(runs) - place} of the newest {len(runs)}"
                self._near.unasked.add(f"{count} runs of the base branch", spent)
                break
            if is_settled(generic, seen):
                break
        return tuple(self._with_past(seen, group, first))

    def _of_base(self, run: Run, job_name: str, cause: str) -> Observation:
        """`cause` "": one that cannot be compared, so that no log is worth reading."""
        if cause:
            seen = self._sightings.sight(run, job_name, cause)
        else:
            seen = self._sightings.conclusion(run, job_name)
        ran = seen.sight is not Sight.DID_NOT_RUN
        return replace(seen, holds_change=ran and self._near.holds(seen.sha))

    def _with_past(self, seen: Sequence[Observation], group: CauseGroup, first: Failure) -> list[Observation]:
        """What the history knows of runs that were not looked at, or not closely; newest first."""
        if self._past is None or first.run is None:
            return list(seen)
        known = self._past.base(first.run.workflow, first.diagnosis.job.name, group.id, self._budget.past_runs)
        by_run = {one.run: one for one in known if one.run != self._run.id}
        by_run |= {one.run: one for one in seen if one.sight is not Sight.FAILED or one.run not in by_run}
        looked_at = {id(one) for one in seen}
        ordered = [by_run[number] for number in sorted(by_run, reverse=True)]
        return [one if id(one) in looked_at else self._told(one) for one in ordered]

    def _told(self, past: Observation) -> Observation:
        """Whether a run of the history holds the change; one of which that is not known does not count."""
        try:
            return replace(past, holds_change=self._near.holds(past.sha))
        except RequestsSpent as spent:
            self._near.unasked.add("which runs of the history hold the change", spent)
            return replace(past, holds_change=True)

    def _breakage(self, base: Sequence[Observation], first: Failure) -> Breakage | None:
        """Looks further back, at conclusions only, when none of the newest runs passed; asks for the commits once."""
        found = breakage(base)
        if found is not None and found.green is None:
            found = breakage([*base, *self._older(base, first)])
        if found is None or found.green is None or not (found.green.sha and found.red.sha):
            return found
        green, red = found.green.sha, found.red.sha
        compared = self._near.between(green, red)
        return replace(found, commits=compared.commits, more=compared.truncated)

    def _older(self, base: Sequence[Observation], first: Failure) -> list[Observation]:
        """Conclusions alone, down to the first that passed."""
        looked_at = {one.run for one in base} | {self._run.id}
        older: list[Observation] = []
        try:
            for run in self._near.further_back():
                if run.id not in looked_at:
                    looked_at.add(run.id)
                    older.append(self._sightings.conclusion(run, first.diagnosis.job.name))
                    if older[-1].sight is Sight.PASSED:
                        break
        except RequestsSpent as spent:
            self._near.unasked.add("since when the base branch fails", spent)
        return older

    def _record(self, group: CauseGroup, first: Failure) -> Record | None:
        if self._past is None or first.run is None:
            return None
        own = self._near.pull.number if self._near.pull else 0
        job = first.diagnosis.job.name
        return self._past.record(first.run.workflow, job, group.id, group.signature, own, self._minimum)

    def _later(self, first: Failure) -> tuple[Observation, ...]:
        """A rerun tests the same commit: GitHub keeps a run's sha over its attempts."""
        name = first.diagnosis.job.name
        later = [run for run in self._near.attempts() if run.attempt > first.diagnosis.job.attempt]
        seen = [self._sightings.conclusion(run, name) for run in later]
        return tuple(replace(one, sha=_tested(first)) for one in seen if one.sight is not Sight.DID_NOT_RUN)

    def _others(self, group: CauseGroup, first: Failure) -> tuple[tuple[Observation, ...], bool]:
        """Until two other pull requests show the same cause: a third says no more. And whether a limit ended it."""
        seen: list[Observation] = []
        cut = False
        elsewhere: Sequence[Run] = ()
        try:
            elsewhere = self._near.other_runs()
            for run in elsewhere:
                seen.append(self._sightings.sight(run, first.diagnosis.job.name, group.id))
                if len({one.pull for one in seen if one.sight is Sight.SAME_CAUSE}) > 1:
                    break
        except RequestsSpent as spent:
            cut, left = True, len(elsewhere) - len(seen)
            self._near.unasked.add(
                f"{left} failed runs of other pull requests" if left else "other pull requests", spent
            )
        except GitHubError as fault:
            self._near.missing.append(f"other pull requests could not be looked up: {fault.message}")
        return (*seen, *self._past_pulls(group, first, {one.run for one in seen} | {self._run.id})), cut

    def _past_pulls(self, group: CauseGroup, first: Failure, known: set[int]) -> Sequence[Observation]:
        if self._past is None or first.run is None:
            return ()
        name = first.diagnosis.job.name
        found = self._past.pulls(first.run.workflow, name, group.id, self._budget.past_runs)
        own = self._near.pull.number if self._near.pull else 0
        return [one for one in found if one.run not in known and one.pull and one.pull != own]

    def _touched(self, group: CauseGroup, failures: Sequence[Failure]) -> tuple[str, ...]:
        pull = self._near.pull
        if pull is None:
            return ()
        files = self._near.files(pull)
        sentences = [
            sentence
            for failure in failures
            for sentence in touched(failure.cause(group.id), failure.diagnosis.facts, failure.workflow_path, files)
        ]
        return tuple(dict.fromkeys(sentences))


def _tested(failure: Failure) -> str:
    return failure.diagnosis.facts.tested_sha or (failure.run.head_sha if failure.run else "")
