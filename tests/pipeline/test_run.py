from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from tests.pipeline.fakes import MISSING, FakeGitHub, TextLog, a_job, a_run, built_in, job_log
from triage.errors import NothingToTriage
from triage.model.configuration import Configuration
from triage.model.diagnosis import VerdictValue
from triage.model.run import Job, Run, Unavailable, UnavailableReason
from triage.pipeline.jobs import Selection
from triage.pipeline.run import Request, triage_attempts, triage_commit, triage_run
from triage.pipeline.trees import no_trees
from triage.pipeline.triage import Knowledge


@dataclass
class FakeAttempts(FakeGitHub):
    listed: Mapping[int, Sequence[Job]]  # type: ignore[assignment]

    def jobs(self, run: Run) -> Sequence[Job]:
        return self.listed[run.attempt]


@dataclass
class FakeWorkflows(FakeGitHub):
    listed: Mapping[int, Sequence[Job]]  # type: ignore[assignment]

    def jobs(self, run: Run) -> Sequence[Job]:
        return self.listed[run.id]


NO_TREE = no_trees("no tree in this test")


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


def test_the_same_cause_over_jobs_is_one_cause_with_one_verdict(knowledge: Knowledge) -> None:
    jobs = [a_job(1, "train (2)"), a_job(2, "lint", "success"), a_job(3, "train (4)")]
    logs = {1: TextLog("1", job_log(MISSING)), 3: TextLog("3", job_log("hello", MISSING))}
    result = triage_run(FakeGitHub(jobs, logs), a_run(), knowledge, NO_TREE).result
    assert [failure.diagnosis.job.name for failure in result.failures] == ["train (2)", "train (4)"]
    (cause,) = result.causes
    assert (cause.signature, cause.failures) == ("python-module-not-found", ("job-1", "job-3"))
    assert cause.verdict.value is VerdictValue.UNKNOWN
    assert cause.verdict.evidence[0].text == "no base evidence"


def test_without_a_tree_the_fix_is_advice_with_the_reason(knowledge: Knowledge) -> None:
    logs = {1: TextLog("1", job_log(MISSING))}
    result = triage_run(FakeGitHub([a_job(1, "train")], logs), a_run(), knowledge, NO_TREE).result
    assert {patch.state.value for patch in result.patches} == {"advice"}
    assert result.patches[0].reason == "no tree in this test"


def test_an_expired_log_is_reported_beside_the_others(knowledge: Knowledge) -> None:
    jobs = [a_job(1, "old"), a_job(2, "new")]
    logs = {
        2: TextLog("2", job_log(MISSING)),
        1: Unavailable(UnavailableReason.EXPIRED, "GitHub keeps logs for 90 days"),
    }
    result = triage_run(FakeGitHub(jobs, logs), a_run(), knowledge, NO_TREE).result
    old, new = result.failures
    assert old.diagnosis.unavailable is not None
    assert old.diagnosis.unavailable.reason is UnavailableReason.EXPIRED
    assert new.diagnosis.causes


def test_a_run_that_goes_on_is_triaged_for_what_is_there(knowledge: Knowledge) -> None:
    jobs = [a_job(1, "done"), a_job(2, "going", None)]
    going = a_run(conclusion=None, status="in_progress")
    result = triage_run(FakeGitHub(jobs, {1: TextLog("1", job_log(MISSING))}), going, knowledge, NO_TREE).result
    assert len(result.failures) == 1
    assert result.notices[0] == "run 7 is still in_progress: 1 of 2 jobs have not ended"


def test_a_run_without_jobs_has_a_broken_workflow(knowledge: Knowledge) -> None:
    result = triage_run(FakeGitHub([]), a_run("startup_failure"), knowledge, NO_TREE).result
    assert len(result.failures) == 1
    assert not any(failure.diagnosis.unexplained for failure in result.failures)


@pytest.mark.parametrize(
    ("jobs", "run", "selection", "said"),
    [
        ([a_job(1, "a", "stale")], a_run("failure"), Selection(), "no job of it failed: they ended as stale"),
        ([a_job(1, "a", "success")], a_run("success"), Selection(), "did not fail (conclusion: success)"),
        ([a_job(1, "a", None)], a_run(None, "in_progress"), Selection(), "still in_progress"),
        ([a_job(1, "a")], a_run(), Selection(job="zzz"), "no failed job of run 7 matches zzz"),
        ([a_job(1, "docs")], a_run(), Selection(), "left out by the configuration"),
    ],
)
def test_nothing_to_triage_says_why(jobs, run, selection, said) -> None:  # type: ignore[no-untyped-def]
    knowledge = built_in(Configuration(leave_out=("docs*",)))
    with pytest.raises(NothingToTriage) as outcome:
        triage_run(FakeGitHub(jobs), run, knowledge, NO_TREE, Request(selection))
    assert said in str(outcome.value)


def test_one_job_can_be_chosen_by_its_id_or_its_name(knowledge: Knowledge) -> None:
    jobs = [a_job(1, "train (2)"), a_job(3, "train (4)")]
    github = FakeGitHub(jobs, {job.id: TextLog("x", job_log(MISSING)) for job in jobs})
    for selection in (Selection(job_id=3), Selection(job="(4)"), Selection(job="train (4*")):
        result = triage_run(github, a_run(), knowledge, NO_TREE, Request(selection)).result
        assert [failure.diagnosis.job.id for failure in result.failures] == [3]


def test_secrets_in_a_log_do_not_reach_the_result(knowledge: Knowledge) -> None:
    token = "ghp_" + "a1" * 18
    log = job_log(f"remote rejected the push with {token}", MISSING)
    result = triage_run(FakeGitHub([a_job(1, "train")], {1: TextLog("1", log)}), a_run(), knowledge, NO_TREE).result
    assert token not in repr(result)
    assert "[redacted]" in repr(result)


def test_causes_of_jobs_that_were_cancelled_come_last(knowledge: Knowledge) -> None:
    jobs = [a_job(1, "stopped", "cancelled"), a_job(2, "failed")]
    logs = {1: TextLog("1", job_log("##[error]The operation was canceled.")), 2: TextLog("2", job_log(MISSING))}
    result = triage_run(FakeGitHub(jobs, logs), a_run(), knowledge, NO_TREE).result
    assert [failure.diagnosis.job.name for failure in result.failures] == ["failed", "stopped"]


def test_what_failed_in_one_attempt_and_passed_in_the_next_is_said(knowledge: Knowledge) -> None:
    first, second = a_run(), replace(a_run("success"), attempt=2)
    jobs = {1: [a_job(1, "train"), a_job(2, "lint", "success")],
            2: [replace(a_job(3, "train", "success"), attempt=2), a_job(2, "lint", "success")]}  # fmt: skip
    github = FakeAttempts(jobs, {1: TextLog("1", job_log(MISSING))})
    result = triage_attempts(github, [first, second], knowledge, NO_TREE).result
    (failure,) = result.failures
    assert failure.history == "passed in attempt 2"


def test_the_runs_of_all_workflows_make_one_result(knowledge: Knowledge) -> None:
    runs = [a_run(), replace(a_run("success"), id=8), replace(a_run(), id=9)]
    jobs = {7: [a_job(1, "train")], 8: [a_job(2, "ok", "success")], 9: [a_job(3, "train")]}
    github = FakeWorkflows(jobs, {1: TextLog("1", job_log(MISSING)), 3: TextLog("3", job_log(MISSING))})
    result = triage_commit(github, runs, knowledge, NO_TREE).result
    assert [failure.run.id for failure in result.failures if failure.run] == [7, 9]
    assert len(result.causes) == 1
    with pytest.raises(NothingToTriage, match="run 8 did not fail"):
        triage_commit(github, [runs[1]], knowledge, NO_TREE)
