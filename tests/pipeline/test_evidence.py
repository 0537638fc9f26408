from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.pipeline.fakes import MISSING, TextLog, a_job, a_run, built_in, job_log
from triage.diagnosis.verdict import judge
from triage.errors import GitHubError
from triage.interfaces import LogSource
from triage.model.diagnosis import Verdict, VerdictValue
from triage.model.evidence import Sight
from triage.model.run import ChangedFile, Job, NoPullRequest, PullRequest, Run, Unavailable, UnavailableReason
from triage.pipeline.evidence import Budget, Gatherer
from triage.pipeline.group import group_causes
from triage.pipeline.triage import FailedJob, Knowledge, examine

PULL = PullRequest(41, "example/train", "Faster sync", "someone", "open", "main", "b" * 40, "feature", "a" * 40)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


@dataclass
class FakeEvidence:
    base: Sequence[Run] = ()
    others: Sequence[Run] = ()
    later: Sequence[Run] = ()
    conclusions: dict[int, str] = field(default_factory=dict)
    files: Sequence[str] = ()
    pull_request: PullRequest | NoPullRequest = PULL
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    log_text: str = MISSING
    fails: str = ""
    logs_read: list[int] = field(default_factory=list)

    def _maybe(self, call: str) -> None:
        if call == self.fails:
            raise GitHubError(f"{call} broke.")

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest:
        self._maybe("pull_of")
        return self.pull_request

    def pull(self, number: int) -> PullRequest:
        return self.pulls[number]

    def default_branch(self) -> str:
        return "main"

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        self._maybe("base_runs")
        return self.base[:limit]

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        return self.others[:limit]

    def attempts(self, run: Run) -> Sequence[Run]:
        return (run, *self.later)

    def jobs(self, run: Run) -> Sequence[Job]:
        conclusion = self.conclusions.get(run.id * 10 + run.attempt, "failure")
        return [] if conclusion == "absent" else [replace(a_job(run.id * 10, "train", conclusion), run_id=run.id)]

    def log(self, job: Job) -> LogSource | Unavailable:
        self.logs_read.append(job.id)
        if self.log_text == "gone":
            return Unavailable(UnavailableReason.EXPIRED, "gone")
        return TextLog("base", job_log(self.log_text))

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        return [ChangedFile(path, "modified") for path in self.files]

    def contains(self, descendant: str, ancestor: str) -> bool:
        return True


def other_run(number: int, **changed: object) -> Run:
    return replace(a_run(), id=number, head_branch=f"b{number}", head_sha=f"{number:040d}", **changed)  # type: ignore[arg-type]


def judged(source: FakeEvidence, knowledge: Knowledge, text: str = MISSING, budget: Budget = Budget()) -> Verdict:
    log = TextLog("own", job_log(text))
    run = a_run()
    failures = examine(FailedJob(a_job(1, "train"), log, run=run), knowledge)
    numbered = [replace(one, id="job-1") for one in failures]
    (group,) = group_causes(numbered, knowledge.catalogue, knowledge.configuration)
    subject, findings = Gatherer(source, knowledge, run, budget).gather(group, numbered)
    return judge(numbered[0].diagnosis.causes[0].category, False, subject, findings)


def test_a_base_that_fails_the_same_way_is_trunk(knowledge: Knowledge) -> None:
    verdict = judged(FakeEvidence(base=[other_run(1), other_run(2)]), knowledge)
    assert verdict.value is VerdictValue.TRUNK


def test_another_module_missing_on_the_base_is_another_cause(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(1)], log_text="ModuleNotFoundError: No module named 'other_thing'")
    assert judged(source, knowledge).value is VerdictValue.UNKNOWN


def test_a_base_that_passes_and_a_change_that_touches_the_requirement_is_yours(knowledge: Knowledge) -> None:
    base = [other_run(n) for n in (1, 2, 3)]
    source = FakeEvidence(
        base=base, conclusions={11: "success", 21: "success", 31: "success"}, files=["requirements.txt"]
    )
    verdict = judged(source, knowledge)
    assert verdict.value is VerdictValue.YOURS
    assert verdict.evidence[-1].text == "the change edits requirements.txt, which says what is installed"


def test_an_attempt_that_passed_later_is_a_flake(knowledge: Knowledge) -> None:
    source = FakeEvidence(later=[replace(a_run(), attempt=2)], conclusions={72: "success"})
    assert judged(source, knowledge).value is VerdictValue.FLAKE


def test_logs_are_read_within_the_budget_and_once(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(n) for n in range(1, 6)])
    judged(source, knowledge, budget=Budget(base_runs=5, logs_per_cause=2))
    assert len(source.logs_read) == 2


def test_the_same_branch_and_the_pull_request_itself_are_no_others(knowledge: Knowledge) -> None:
    own = other_run(5, pull_requests=(41,))
    same_branch = replace(other_run(6), head_branch="feature")
    source = FakeEvidence(others=[own, same_branch])
    assert judged(source, knowledge).value is VerdictValue.UNKNOWN
    assert source.logs_read == []


def test_a_revert_does_not_excuse(knowledge: Knowledge) -> None:
    revert = replace(PULL, number=50, title='Revert "Faster sync"', author="else", head_ref="revert")
    source = FakeEvidence(others=[other_run(5, pull_requests=(50,), actor="else")], pulls={50: revert})
    assert judged(source, knowledge).value is VerdictValue.UNKNOWN
    stranger = replace(PULL, number=50, title="Docs", author="else", head_ref="docs")
    source = FakeEvidence(others=[other_run(5, pull_requests=(50,), actor="else")], pulls={50: stranger})
    assert judged(source, knowledge).value is VerdictValue.FLAKE


def test_a_merged_change_does_not_find_itself_on_the_base(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(1)], pull_request=replace(PULL, merged=True, merge_sha="c" * 40))
    assert judged(source, knowledge).value is VerdictValue.UNKNOWN


def test_a_job_that_is_not_on_the_base(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(1)], conclusions={11: "absent"})
    assert judged(source, knowledge).evidence[0].text == "the job did not run on the base branch"


def test_what_cannot_be_asked_is_said_and_nothing_breaks(knowledge: Knowledge) -> None:
    for call, what in (("base_runs", "the runs of the base branch"), ("pull_of", "the pull request")):
        verdict = judged(FakeEvidence(fails=call), knowledge)
        assert verdict.value is VerdictValue.UNKNOWN
        assert any(one.text == f"{what} could not be looked up: {call} broke." for one in verdict.evidence)


def test_a_base_log_that_is_gone_says_only_that_it_failed(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(1)], log_text="gone")
    verdict = judged(source, knowledge)
    assert verdict.value is VerdictValue.UNKNOWN
    assert Sight.FAILED.value == "failed"
