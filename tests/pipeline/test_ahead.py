"""What is asked while logs are on the wire is what would be asked later, once, and changes no verdict."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.pipeline.fakes import MISSING, FakeGitHub, TextLog, a_job, a_run, built_in, job_log
from tests.pipeline.test_evidence import FakeEvidence, other_run
from triage.errors import GitHubError
from triage.model.run import ChangedFile, JobPage, NoPullRequest, PullRequest, Run
from triage.pipeline.ahead import Ahead
from triage.pipeline.prescription import NoTrees
from triage.pipeline.run import Request, triage_run
from triage.pipeline.triage import Knowledge


@dataclass
class Counting(FakeEvidence):
    """Counts questions by kind and subject, and notes which threads asked."""

    asked: Counter[str] = field(default_factory=Counter)
    threads: set[str] = field(default_factory=set)

    def _note(self, question: str) -> None:
        self.asked[question] += 1
        self.threads.add(threading.current_thread().name)

    def pull_of(self, run: Run) -> PullRequest | NoPullRequest:
        self._note("pull")
        return super().pull_of(run)

    def base_runs(self, run: Run, branch: str, limit: int) -> Sequence[Run]:
        self._note(f"base {limit}")
        return super().base_runs(run, branch, limit)

    def other_runs(self, run: Run, limit: int) -> Sequence[Run]:
        self._note("others")
        return super().other_runs(run, limit)

    def attempts(self, run: Run) -> Sequence[Run]:
        self._note("attempts")
        return super().attempts(run)

    def job_page(self, run: Run, page: int) -> JobPage:
        self._note(f"jobs {run.id}")
        return super().job_page(run, page)

    def changed_files(self, pull: int) -> Sequence[ChangedFile]:
        self._note("files")
        return super().changed_files(pull)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


def source(**changes: object) -> Counting:
    fields = {
        "base": [other_run(n) for n in (1, 2)],
        "others": [other_run(3), replace(other_run(4), head_branch="feature")],
        "later": [replace(a_run(), attempt=2)],
        "conclusions": {11: "success", 72: "failure"},
        "files": ["requirements.txt"],
    }
    return Counting(**(fields | changes))  # type: ignore[arg-type]


def triaged(evidence: Counting, knowledge: Knowledge, text: str = MISSING):
    jobs = [a_job(1, "train"), a_job(2, "lint")]
    logs = {1: TextLog("1", job_log(text)), 2: TextLog("2", job_log("all is well", exit_code=0))}
    trees: list[str] = []

    def access(sha: str) -> NoTrees:
        trees.append(threading.current_thread().name)
        return NoTrees("none here")

    result = triage_run(FakeGitHub(jobs, logs), a_run(), knowledge, access, Request(evidence=evidence)).result
    return result, trees


def test_every_question_is_asked_once_and_ahead(knowledge: Knowledge) -> None:
    evidence = source(conclusions={11: "success", 21: "success", 72: "failure"})
    triaged(evidence, knowledge)
    # A run of the pull request's own branch is no evidence: its jobs are not asked for.
    wanted = ["pull", "base 5", "others", "attempts", "jobs 1", "jobs 2", "jobs 3", "files", "jobs 7"]
    assert {name: evidence.asked[name] for name in wanted} == dict.fromkeys(wanted, 1)
    assert "jobs 4" not in evidence.asked
    assert any(name.startswith("triage-ahead") for name in evidence.threads)


def test_nothing_is_asked_when_no_cause_is_named(knowledge: Knowledge) -> None:
    evidence = source()
    result, trees = triaged(evidence, knowledge, "RuntimeError: the flux is off")
    assert not any(failure.diagnosis.causes for failure in result.failures)
    assert (evidence.asked, trees) == (Counter(), [])


def test_the_tree_is_asked_for_ahead_of_the_fixes(knowledge: Knowledge) -> None:
    _, trees = triaged(source(), knowledge)
    assert trees[0].startswith("triage-ahead")


def test_what_could_not_be_asked_ahead_is_told_where_it_is_needed(knowledge: Knowledge) -> None:
    evidence = source(fails="base_runs")
    result, _ = triaged(evidence, knowledge)
    assert evidence.asked["base 5"] == 2
    (cause,) = result.causes
    assert any("base_runs broke" in one.text for one in cause.verdict.evidence)


def test_the_verdict_is_the_same_without_asking_ahead(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead, _ = triaged(source(), knowledge)
    monkeypatch.setattr(Ahead, "ask", lambda *_: None)
    later, _ = triaged(source(), knowledge)
    assert ahead == later


def test_a_name_is_asked_once_and_bugs_are_not_hidden() -> None:
    ahead, asked = Ahead(), []
    for number in range(3):
        ahead.ask("same", lambda number=number: asked.append(number))
    ahead.wait()
    assert asked == [0]

    def fails() -> None:
        raise GitHubError("no answer")

    def breaks() -> None:
        raise ZeroDivisionError

    ahead = Ahead()
    ahead.ask("fails", fails)
    ahead.wait()
    ahead = Ahead()
    ahead.ask("breaks", breaks)
    with pytest.raises(ZeroDivisionError):
        ahead.wait()
