"""The database's counts against the same counts made in Python."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.histories import MONDAY, OOM, empty_history, outcome
from triage.model.history import JobDay, LossDay, Period, day_of
from triage.model.outcome import Outcome, Pool, RunAttempt
from triage.storage import aggregates, series
from triage.storage.database import History
from triage.storage.outcomes import put

FIRST = day_of(MONDAY)
WEEK = Period(FIRST, FIRST + 6)
CONCLUSIONS = st.sampled_from(["success", "failure", "failure", "cancelled"])


@st.composite
def histories(draw: st.DrawFn) -> list[Outcome]:
    """Runs of one or two jobs with up to three attempts each, over nine days."""
    rows: list[Outcome] = []
    for run in range(1, draw(st.integers(1, 6)) + 1):
        at = MONDAY + timedelta(days=draw(st.integers(-1, 7)), hours=draw(st.integers(0, 20)))
        for job in draw(st.sampled_from([("a",), ("a", "b")])):
            pool = draw(
                st.sampled_from([Pool("L20x8", "cuda", 8), Pool("npu", "npu", 16, held_while_queued=True), Pool("cpu")])
            )
            for attempt in range(1, draw(st.integers(1, 3)) + 1):
                conclusion = draw(CONCLUSIONS)
                rows.append(
                    outcome(
                        len(rows) + 1, conclusion, run=run, attempt=attempt, at=at + timedelta(hours=attempt), job=job, pool=pool,
                        causes=(OOM,) if conclusion == "failure" and draw(st.booleans()) else (), on_base=run % 2 == 0,
                        pull_request=run, author=draw(st.sampled_from(["ada", "bo"])),
                    )
                )  # fmt: skip
    return rows


def settled(rows: list[Outcome]) -> dict[tuple[int, str], list[Outcome]]:
    """By run and job, in the order of attempts."""
    found: dict[tuple[int, str], list[Outcome]] = {}
    for row in sorted(rows, key=lambda row: row.attempt):
        if row.passed is not None:
            found.setdefault((row.run_id, row.job), []).append(row)
    return found


def day(row: Outcome) -> int:
    return day_of(row.completed_at)


@settings(max_examples=40)
@given(rows=histories())
def test_counts_by_the_database_are_those_of_python(rows: list[Outcome], tmp_path_factory: object) -> None:
    folder = Path(tmp_path_factory.mktemp("history"))  # type: ignore[attr-defined]
    with empty_history("sqlite", folder) as history:
        put(history, rows)
        firsts = [attempts[0] for attempts in settled(rows).values() if WEEK.first <= day(attempts[0]) <= WEEK.last]
        days = Counter((row.job, row.pool.name, int(row.on_base), day(row), row.passed) for row in firsts)
        found = Counter[tuple[object, ...]]()
        for one in aggregates.job_days(history, WEEK):
            found.update(
                {
                    (one.job, one.pool, one.on_base, one.day, True): one.passed,
                    (one.job, one.pool, one.on_base, one.day, False): one.failed,
                }
            )
        assert +found == days
        check_retries(history, rows)
        check_losses(history, rows)


def check_retries(history: History, rows: list[Outcome]) -> None:
    retried = recovered = 0
    for attempts in settled(rows).values():
        for one, after in pairwise(attempts):
            if one.passed is False and WEEK.first <= day(one) <= WEEK.last:
                retried += 1
                recovered += after.passed is True
    found = aggregates.retry_days(history, WEEK)
    assert (sum(one.retried for one in found), sum(one.recovered for one in found)) == (retried, recovered)


def check_losses(history: History, rows: list[Outcome]) -> None:
    expected = Counter[tuple[str, str]]()
    for row in rows:
        if not WEEK.first <= day(row) <= WEEK.last:
            continue
        cost = row.pool.gpus * (row.run_seconds + (row.queue_seconds or 0 if row.pool.held_while_queued else 0))
        if row.passed is False:
            expected["failed", row.signature] += cost
        elif row.passed is None:
            expected["cancelled", ""] += cost
        else:
            before = [one for one in settled(rows)[row.run_id, row.job] if one.attempt < row.attempt]
            if before:
                expected["rerun", before[-1].signature] += cost
    found = Counter[tuple[str, str]]()
    for one in aggregates.loss_days(history, WEEK):
        found[one.kind, one.signature] += one.gpu_seconds
    assert +found == +expected


def test_an_empty_history_counts_nothing(history: History) -> None:
    queries = (
        aggregates.job_days, aggregates.retry_days, aggregates.loss_days, aggregates.reach, aggregates.runner_strata,
        aggregates.queue_counts, aggregates.run_days, aggregates.signature_days, aggregates.log_counts, aggregates.log_days,
        series.flips, series.streaks, series.green_episodes,
    )  # fmt: skip
    assert [query(history, WEEK) for query in queries] == [()] * len(queries)
    assert aggregates.coverage(history, WEEK) == (0, 0, 0, 0, 0)


def test_a_history_counts_only_its_own_repository(history: History) -> None:
    put(history, [outcome(1, "failure")])
    other = replace(history, repo="someone/else")
    assert aggregates.job_days(other, WEEK) == ()
    put(other, [replace(outcome(1, "failure"), repo="someone/else")])
    assert aggregates.job_days(history, WEEK) == (JobDay("e2e", "ppo", "L20x8", 1, FIRST, 0, 1),)


def test_a_reruns_cost_goes_to_the_cause_before_it(history: History) -> None:
    put(history, [outcome(1, "failure", causes=(OOM,)), outcome(2, "success", attempt=2)])
    rerun = next(one for one in aggregates.loss_days(history, WEEK) if one.kind == "rerun")
    assert rerun == LossDay("rerun", "e2e", "ppo", "L20x8", "gpu-oom", "gpu-oom", FIRST, 1, 0, 8 * 3600, 8 * 3600)


def test_a_flake_costs_the_failure_and_the_rerun_that_passed(history: History) -> None:
    put(history, [outcome(1, "failure", run=1), outcome(2, attempt=2, run=1), outcome(3, "failure", run=2)])
    rows = aggregates.loss_days(history, WEEK)
    assert sum(row.flaked_seconds for row in rows if row.kind == "failed") == 8 * 3600
    assert sum(row.gpu_seconds for row in rows if row.kind == "failed") == 2 * 8 * 3600
    assert [row.flaked_seconds for row in rows if row.kind == "rerun"] == [8 * 3600]


def test_flips_streaks_and_commits_follow_the_base_branch(history: History) -> None:
    results = ["success", "failure", "success", "failure", "failure", "failure"]
    rows = [outcome(n, result, run=n, at=MONDAY + timedelta(hours=n)) for n, result in enumerate(results, start=1)]
    pull = outcome(99, "success", run=99, at=MONDAY + timedelta(hours=20), on_base=False)
    put(history, [*rows, pull])
    assert series.flips(history, WEEK) == (("e2e", "ppo", 5, 3),)
    assert series.streaks(history, WEEK) == (("e2e", "ppo", 3, 6),)
    assert series.commit_window(history, "e2e", "ppo", FIRST, FIRST) == ("", "")
    later = [outcome(50, run=50, at=MONDAY - timedelta(days=2)), outcome(51, run=51, at=MONDAY + timedelta(days=3))]
    put(history, later)
    assert series.commit_window(history, "e2e", "ppo", FIRST, FIRST) == (f"{50:040x}", f"{51:040x}")


def test_time_to_green_is_from_the_first_red_to_the_next_green(history: History) -> None:
    def attempt(run: int, hour: int, conclusion: str, branch: str = "main") -> RunAttempt:
        return RunAttempt(
            history.repo, run, 1, "e2e", branch, branch == "main", conclusion, MONDAY + timedelta(hours=hour)
        )

    put(
        history,
        [],
        [
            attempt(1, 0, "success"), attempt(2, 1, "failure"), attempt(3, 2, "failure"), attempt(4, 5, "success"),
            attempt(5, 6, "failure", "topic"), attempt(6, 7, "cancelled", "topic"),
            attempt(7, 300, "success", "topic"),
        ],
    )  # fmt: skip
    found = sorted(series.green_episodes(history, WEEK))
    assert found == [("e2e", "main", 1, 4 * 3600), ("e2e", "topic", 0, None)]
