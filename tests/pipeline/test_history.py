from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.histories import DATABASES, empty_history
from tests.pipeline.made_up_github import START, MadeUpGitHub, busy, diagnose
from triage.errors import GitHubError, RateLimited, UsageError
from triage.interfaces import LogSource
from triage.model.configuration import Configuration, RunnerLabel
from triage.model.diagnosis import JobDiagnosis
from triage.model.outcome import LogState, Pool
from triage.model.run import Annotation, Job, Run, Unavailable, UnavailableReason
from triage.pipeline.history import SyncResult, SyncSettings, sync
from triage.pipeline.outcomes import Place
from triage.storage.database import History
from triage.storage.outcomes import outcome

NOW = START + timedelta(days=3)
PLACE = Place("main", Configuration(runners=(RunnerLabel("L20*", "cuda", 8),)))


@pytest.fixture(params=DATABASES)
def history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[History]:
    with empty_history(request.param, tmp_path) as opened:
        yield opened


def run_sync(history: History, github: MadeUpGitHub, budget: int = 0, days: float = 3) -> SyncResult:
    settings = SyncSettings(PLACE, budget, "1")
    return sync(history, github, diagnose, settings, START, START + timedelta(days=days))


def contents(history: History) -> dict[str, list[tuple[object, ...]]]:
    """Everything but when it was listed."""
    queries = {
        "job_attempts": "SELECT * FROM job_attempts ORDER BY job_id",
        "causes": "SELECT * FROM causes ORDER BY job_id, position",
        "run_attempts": "SELECT * FROM run_attempts ORDER BY run_id, attempt",
        "runs": "SELECT run_id, attempt, read_attempt, read_updated FROM runs ORDER BY run_id",
    }
    with history.reading() as connection:
        return {name: [tuple(row) for row in connection.execute(text(query))] for name, query in queries.items()}


def test_every_attempt_of_every_job_is_there_once(history: History) -> None:
    github = busy(150)
    result = run_sync(history, github)
    found = contents(history)
    assert len(found["job_attempts"]) == sum(len(jobs) for jobs in github.jobs_of.values())
    assert len(found["run_attempts"]) == sum(len(run) for run in github.runs.values())
    failed = sum(job.conclusion == "failure" for jobs in github.jobs_of.values() for job in jobs)
    assert len(found["causes"]) == failed == result.logs
    assert (result.runs_listed, result.runs_read, result.left, result.stopped) == (150, 150, 0, "")


def test_a_row_says_what_github_and_the_log_say(history: History) -> None:
    github = MadeUpGitHub()
    github.add(5, START, [["failure"], ["success"]], event="pull_request", head_repo="bo/train", pull_requests=(31,))
    run_sync(history, github)
    row = outcome(history, 510)
    assert (row.run_id, row.attempt, row.job, row.conclusion, row.step) == (5, 1, "job-0", "failure", "Run")
    assert (row.branch, row.on_base, row.pull_request, row.author) == ("bo:main", False, 31, "ada")
    assert row.pool == Pool("L20x8", "cuda", 8)
    assert (row.queue_seconds, row.run_seconds) == (120, 38 * 60)
    assert (row.log, row.causes[0].signature, row.causes[0].text, row.catalogue) == (
        LogState.READ, "gpu-oom", "error of job-0", "1"
    )  # fmt: skip
    assert outcome(history, 520).log is LogState.NOT_NEEDED


def test_a_second_sync_asks_for_nothing_that_is_known(history: History) -> None:
    github = busy(120)
    run_sync(history, github)
    before = contents(history)
    github.calls.clear()
    run_sync(history, github, days=3.001)
    assert set(github.calls) == {"page"}
    assert github.calls["page"] <= 3
    assert contents(history) == before


def test_a_rerun_after_the_sync_is_found_and_only_it_is_read(history: History) -> None:
    github = MadeUpGitHub()
    github.add(1, START, [["failure", "success"]])
    github.add(2, START, [["success", "success"]])
    run_sync(history, github, days=0.5)
    github.jobs_of.pop(1)
    github.add(1, START, [["failure", "success"], ["success", ""]])
    github.calls.clear()
    run_sync(history, github, days=0.6)
    assert github.calls == {"page": 1, "run": 1, "jobs": 1}, "the log of attempt 1 is not asked for again"
    assert [row[3] for row in contents(history)["job_attempts"]] == [1, 1, 2, 1, 1]
    assert outcome(history, 110).causes[0].signature == "gpu-oom"


def test_a_run_in_progress_waits_until_it_is_over(history: History) -> None:
    github = MadeUpGitHub()
    github.add(1, START, [["failure"]], status="in_progress", conclusion=None)
    assert run_sync(history, github, days=0.5).runs_read == 0
    github.jobs_of.pop(1)
    github.add(1, START, [["failure"]])
    assert run_sync(history, github, days=0.6).runs_read == 1


def test_an_untouched_job_listed_again_under_a_rerun_counts_once(history: History) -> None:
    github = MadeUpGitHub()
    github.add(1, START, [["success", "failure"], ["", "success"]])
    first = github.jobs_of[1][0]
    github.jobs_of[1].append(
        Job(999, 1, 2, first.name, "completed", "success", first.created_at, first.started_at, first.completed_at)
    )
    run_sync(history, github)
    assert [row[1] for row in contents(history)["job_attempts"]] == [110, 111, 121]


def test_more_runs_than_github_lists_are_found_by_halving(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.pipeline.windows.MOST_LISTED", 50)
    github = busy(400, days=1)
    github.cap = 50
    assert run_sync(history, github).runs_read == 400


def test_failed_and_retried_runs_are_read_first_and_the_rest_later(history: History) -> None:
    github = busy(100, days=1)
    telling = {number for number, run in github.runs.items() if len(run) > 1 or run[-1].conclusion == "failure"}
    result = run_sync(history, github, budget=60)
    read = {row[0] for row in contents(history)["runs"] if row[2]}
    assert read < telling
    assert result.requests <= 60
    assert result.stopped.startswith("the budget of 60 requests is spent; stopped before run ")
    while run_sync(history, github, budget=60).left:
        pass
    assert {row[0] for row in contents(history)["runs"] if row[2]} == set(github.runs)


def test_the_budget_may_end_amid_a_runs_logs(history: History) -> None:
    github = MadeUpGitHub()
    github.add(1, START, [["failure"] * 6])
    budget = 4 + 1 + 3  # the days listed (the last has just begun), the jobs, three logs
    result = run_sync(history, github, budget=budget)
    assert (result.runs_read, result.logs, result.left) == (0, 3, 1)
    states = [outcome(history, 110 + place).log for place in range(6)]
    assert states == [LogState.READ] * 3 + [LogState.PENDING] * 3
    github.calls.clear()
    assert run_sync(history, github).runs_read == 1
    assert github.calls["log"] == 3
    assert all(outcome(history, 110 + place).log is LogState.READ for place in range(6))


def test_it_stops_before_githubs_limit_and_says_until_when(history: History) -> None:
    github = busy(60)
    github.left = 100
    result = run_sync(history, github)
    assert github.left >= 50
    assert result.stopped.startswith("GitHub allows 5")
    assert "until 00:00 UTC" in result.stopped


def test_a_request_to_wait_ends_the_sync_politely(history: History) -> None:
    github = busy(20)
    victim = 7
    github.broken[victim] = RateLimited("GitHub asks to wait 900 s.")
    result = run_sync(history, github)
    assert result.stopped.startswith("GitHub asks to wait 900 s.")
    github.broken.clear()
    run_sync(history, github)
    assert len(contents(history)["run_attempts"]) == sum(len(run) for run in github.runs.values())


def test_a_run_that_cannot_be_read_does_not_stop_the_others(history: History) -> None:
    github = busy(20)
    github.broken[4] = GitHubError("HTTP 404")
    result = run_sync(history, github)
    assert (result.runs_read, result.left, result.faults) == (19, 1, ("run 4: HTTP 404",))


def test_when_nothing_can_be_read_it_says_so(history: History) -> None:
    github = busy(20)
    github.broken = {number: GitHubError("the network is gone") for number in github.runs}
    with pytest.raises(GitHubError, match="the network is gone"):
        run_sync(history, github)


def test_an_empty_day_between_busy_ones_is_not_believed(history: History) -> None:
    github = busy(150)
    github.hidden_days = frozenset({(START + timedelta(days=1)).toordinal()})
    result = run_sync(history, github)
    assert [day.toordinal() for day in result.suspect_days] == list(github.hidden_days)
    github.hidden_days = frozenset()
    run_sync(history, github)
    assert len(contents(history)["runs"]) == 150


def test_a_day_that_counts_more_runs_than_it_lists_is_told_of_and_asked_again(history: History) -> None:
    github = busy(runs=60)
    github.lost = frozenset(sorted(github.runs)[:2])
    first = run_sync(history, github)
    assert sum(day.counted - day.runs for _, day in first.short_days) == 2
    assert first.runs_read == 58
    github.lost = frozenset()
    second = run_sync(history, github)
    assert (second.runs_read, second.short_days) == (2, ())


def test_a_listing_without_a_count_is_read_to_its_end(history: History) -> None:
    github = busy(runs=250, days=1, jobs=1)
    github.counts = False
    assert run_sync(history, github).runs_read == 250


def test_a_missing_or_unreadable_log_is_a_state_not_a_fault(history: History) -> None:
    def hard(run: Run, job: Job, log: LogSource | Unavailable, annotations: tuple[Annotation, ...]) -> JobDiagnosis:
        if job.name == "job-1":
            raise UsageError("the log ends amid a block")
        return JobDiagnosis(job, unavailable=Unavailable(UnavailableReason.EXPIRED, "gone"))

    github = MadeUpGitHub()
    github.add(1, START, [["failure", "failure"]])
    sync(history, github, hard, SyncSettings(PLACE), START, NOW)
    details = [(outcome(history, job).log, outcome(history, job).log_detail) for job in (110, 111)]
    assert details == [(LogState.UNAVAILABLE, "expired"), (LogState.UNAVAILABLE, "unreadable")]
