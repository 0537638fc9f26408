from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from tests.pipeline.fakes import MISSING, TextLog, a_job, a_run, built_in, job_log
from triage.diagnosis.verdict import judge
from triage.errors import GitHubError, RequestsSpent
from triage.flakiness.intervals import rate
from triage.interfaces import LogSource
from triage.model.configuration import Configuration, KnownIssue
from triage.model.diagnosis import Verdict, VerdictValue
from triage.model.evidence import Findings, Observation, Record, Sight
from triage.model.log import Confidence
from triage.model.run import (
    ChangedFile,
    Commit,
    Comparison,
    Job,
    JobPage,
    NoPullRequest,
    PullRequest,
    Run,
    Unavailable,
    UnavailableReason,
)
from triage.pipeline.around import Budget
from triage.pipeline.evidence import Gatherer
from triage.pipeline.group import group_causes
from triage.pipeline.past import Past
from triage.pipeline.triage import FailedJob, Knowledge, examine

OTHER = "ModuleNotFoundError: No module named 'other_thing'"
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

    def job_page(self, run: Run, page: int) -> JobPage:
        conclusion = self.conclusions.get(run.id * 10 + run.attempt, "failure")
        job = replace(a_job(run.id * 10, "train", conclusion), run_id=run.id)
        return JobPage(0, ()) if conclusion == "absent" else JobPage(1, (job,))

    def log(self, job: Job) -> LogSource | Unavailable:
        self.logs_read.append(job.id)
        if self.log_text == "gone":
            return Unavailable(UnavailableReason.EXPIRED, "gone")
        return TextLog("base", job_log(self.log_text))

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        return [ChangedFile(path, "modified") for path in self.files]

    def contains(self, descendant: str, ancestor: str) -> bool:
        return True

    def between(self, base: str, head: str, limit: int) -> Comparison:
        self._maybe("between")
        return Comparison(base, head, "ahead", base, (Commit("c" * 40, "Newer pins", "else"),))


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
    source = FakeEvidence(base=[other_run(1)], log_text=OTHER)
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
    source = FakeEvidence(base=[other_run(n) for n in range(1, 6)], log_text=OTHER)
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


def findings_of(source: FakeEvidence, knowledge: Knowledge, past: Past | None = None) -> Findings:
    run = a_run()
    failures = examine(FailedJob(a_job(1, "train"), TextLog("own", job_log(MISSING)), run=run), knowledge)
    numbered = [replace(one, id="job-1") for one in failures]
    (group,) = group_causes(numbered, knowledge.catalogue, knowledge.configuration)
    gatherer = Gatherer(source, knowledge, run, past=past)
    findings = gatherer.gather(group, numbered)[1]
    since, missing = gatherer.since(findings.base, numbered)
    return replace(findings, breakage=since, missing=(*findings.missing, *missing))


def test_since_when_and_through_which_commits(knowledge: Knowledge) -> None:
    base = [other_run(n) for n in (9, 8, 6, 5)]
    since = findings_of(FakeEvidence(base=base, conclusions={61: "success", 51: "success"}), knowledge).breakage
    assert since is not None
    assert since.green is not None
    assert (since.red.run, since.green.run) == (8, 6)
    assert [one.title for one in since.commits] == ["Newer pins"]


def test_the_last_green_run_is_looked_for_further_back_without_logs(knowledge: Knowledge) -> None:
    base = [other_run(n) for n in range(30, 10, -1)]
    source = FakeEvidence(base=base, conclusions={181: "success"})
    since = findings_of(source, knowledge).breakage
    assert since is not None
    assert since.green is not None
    assert (since.red.run, since.green.run) == (19, 18)
    # One log of the base branch decides whose failure it is.
    assert len(source.logs_read) == 1


def test_a_base_that_passes_is_not_broken(knowledge: Knowledge) -> None:
    assert findings_of(FakeEvidence(base=[other_run(9)], conclusions={91: "success"}), knowledge).breakage is None


def test_without_the_commits_the_runs_are_still_named(knowledge: Knowledge) -> None:
    source = FakeEvidence(base=[other_run(9), other_run(8)], conclusions={81: "success"}, fails="between")
    found = findings_of(source, knowledge)
    assert found.breakage is None
    assert found.missing == ("since when the base branch fails could not be looked up: between broke.",)


@dataclass
class FakePast:
    seen: Sequence[Observation] = ()
    elsewhere: Sequence[Observation] = ()

    def base(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        return self.seen

    def pulls(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        return self.elsewhere

    def record(self, workflow: str, job: str, cause: str, signature: str, pull: int, minimum: int) -> Record:
        return Record(28, 4, 2, rate(1, 20), rate(3, 4))


def test_the_history_answers_for_what_was_not_looked_at(knowledge: Knowledge) -> None:
    # Run 9 failed and its log is gone; the history has read it. Run 4 is older than the budget reaches.
    known = [Observation(Sight.OTHER_CAUSE, "run 9", run=9), Observation(Sight.PASSED, "run 4", run=4)]
    elsewhere = [Observation(Sight.SAME_CAUSE, "run 3", run=3, pull=50), Observation(Sight.SAME_CAUSE, "own", pull=41)]
    github = FakeEvidence(base=[other_run(9)], log_text="gone", pulls={50: replace(PULL, number=50, head_ref="docs")})
    found = findings_of(github, knowledge, FakePast(known, elsewhere))
    assert [(seen.run, seen.sight) for seen in found.base] == [(9, Sight.OTHER_CAUSE), (4, Sight.PASSED)]
    assert [seen.pull for seen in found.pulls] == [50]
    assert found.record is not None
    assert found.record.failures == 4


def test_a_mute_counts_until_its_last_day_and_then_says_so(knowledge: Knowledge) -> None:
    known = KnownIssue("python-module-not-found", "https://github.com/example/train/issues/5", date(2026, 9, 1), True)
    failures = examine(FailedJob(a_job(1, "train"), TextLog("own", job_log(MISSING)), run=a_run()), knowledge)
    for day, muted in ((date(2026, 9, 1), True), (date(2026, 9, 2), False)):
        (group,) = group_causes(failures, knowledge.catalogue, Configuration(known_issues=(known,)), day)
        assert group.muted is muted
        assert group.mute is not None
        assert group.known_issue == known.url


@dataclass
class Limited(FakeEvidence):
    """Lets so many questions through."""

    most: int = 0
    asked: list[str] = field(default_factory=list)

    def _take(self, question: str) -> None:
        if len(self.asked) >= self.most:
            raise RequestsSpent(f"the limit of {self.most} requests for evidence is reached", "ask for more")
        self.asked.append(question)

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest:
        self._take("pull")
        return super().pull_of(run)

    def default_branch(self) -> str:
        self._take("branch")
        return super().default_branch()

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        self._take(f"base {limit}")
        return super().base_runs(run, branch, limit)

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        self._take("others")
        return super().other_runs(run, limit)

    def job_page(self, run: Run, page: int) -> JobPage:
        self._take(f"jobs {run.id}")
        return super().job_page(run, page)

    def log(self, job: Job) -> LogSource | Unavailable:
        self._take(f"log {job.id}")
        return super().log(job)

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        self._take("files")
        return super().changed_files(pull)

    def pull(self, number: int) -> PullRequest:
        self._take(f"pull {number}")
        return super().pull(number)


GREEN = {10 * n + 1: "success" for n in range(1, 6)}


def test_three_green_runs_of_the_base_are_enough(knowledge: Knowledge) -> None:
    source = Limited(base=[other_run(n) for n in (5, 4, 3, 2, 1)], conclusions=GREEN, most=99)
    assert judged(source, knowledge).value is VerdictValue.YOURS
    assert source.asked == ["pull", "base 5", "jobs 5", "jobs 4", "jobs 3", "files", "others"]


def test_one_base_run_with_the_same_cause_is_enough(knowledge: Knowledge) -> None:
    source = Limited(base=[other_run(n) for n in (5, 4, 3)], most=4)
    assert judged(source, knowledge).value is VerdictValue.TRUNK
    assert source.asked == ["pull", "base 5", "jobs 5", "log 50"]


@pytest.mark.parametrize(
    ("most", "left_out"),
    [
        (6, "other pull requests"),
        (5, "the files of the change, other pull requests"),
        (4, "1 of the newest 3 runs of the base branch, the files of the change, other pull requests"),
        (2, "3 of the newest 3 runs of the base branch, the files of the change, other pull requests"),
    ],
)
def test_a_limit_ends_the_search_and_the_verdict_says_what_is_left_out(
    knowledge: Knowledge, most: int, left_out: str
) -> None:
    source = Limited(base=[other_run(n) for n in (5, 4, 3)], conclusions=GREEN, most=most)
    verdict = judged(source, knowledge)
    said = verdict.evidence[-1].text
    # Others may have it too.
    assert verdict.confidence is Confidence.LOW
    assert said == f"not looked at, as the limit of {most} requests for evidence is reached: {left_out} (ask for more)"
    assert len(source.asked) == most


def test_nothing_allowed_is_unknown(knowledge: Knowledge) -> None:
    verdict = judged(Limited(base=[other_run(1)]), knowledge)
    assert verdict.value is VerdictValue.UNKNOWN
    assert "the runs of the base branch" in verdict.evidence[-1].text


def test_a_pull_request_that_was_not_looked_up_excuses_nobody(knowledge: Knowledge) -> None:
    others = [other_run(8, pull_requests=(50,), actor="else")]
    pulls = {50: replace(PULL, number=50, title="Docs", author="else", head_ref="docs")}
    asked = Limited(others=others, pulls=pulls, most=7)
    assert judged(asked, knowledge).value is VerdictValue.FLAKE
    assert asked.asked[-1] == "pull 50"
    assert judged(Limited(others=others, pulls=pulls, most=6), knowledge).value is VerdictValue.UNKNOWN


def test_a_log_that_may_not_be_asked_for_does_not_count_as_another_cause(knowledge: Knowledge) -> None:
    source = Limited(base=[other_run(1)], most=3)
    verdict = judged(source, knowledge)
    assert verdict.value is VerdictValue.UNKNOWN
    assert "1 of the newest 1 runs of the base branch" in verdict.evidence[-1].text
