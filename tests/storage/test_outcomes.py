import multiprocessing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.histories import DATABASES, MONDAY, OOM, REPO, database, opened, outcome
from triage.model.outcome import CauseHit, LogState, Outcome, RunAttempt
from triage.storage.database import History
from triage.storage.outcomes import failed_jobs, put, replace_diagnosis, settled_logs
from triage.storage.outcomes import outcome as stored

SECOND = CauseHit("nccl-timeout", "nccl-timeout", "flaky", "nccl", 40, "watchdog")


def test_what_is_put_comes_back(history: History) -> None:
    full = outcome(7, "failure", causes=(OOM, SECOND), pull_request=12, step="Run", unexplained="", url="https://x")
    bare = Outcome(REPO, 2, 1, 8, "e2e", "ppo", "cancelled", MONDAY)
    put(history, [full, bare])
    assert stored(history, 7) == full
    assert stored(history, 8) == bare


def test_putting_again_changes_nothing(history: History) -> None:
    rows = [outcome(1, "failure", causes=(OOM, SECOND)), outcome(2, attempt=2)]
    attempts = [RunAttempt(REPO, 1, 1, "e2e", "main", True, "failure", MONDAY)]
    for _ in range(3):
        put(history, rows, attempts)
    with history.reading() as connection:
        counts = [connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar() for table in
                  ("job_attempts", "causes", "run_attempts")]  # fmt: skip
    assert counts == [2, 2, 1]


def test_a_cause_that_is_no_longer_found_goes(history: History) -> None:
    put(history, [outcome(1, "failure", causes=(OOM, SECOND))])
    put(history, [outcome(1, "failure", causes=(SECOND,))])
    assert stored(history, 1).causes == (SECOND,)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_attempts_know_their_order_in_whatever_order_they_come(history: History, order: tuple[int, ...]) -> None:
    rows = [
        outcome(1, "cancelled", attempt=1),
        outcome(2, "failure", attempt=2),
        outcome(3, "failure", attempt=3),
        outcome(4, "success", attempt=4),
    ]
    for place in order:
        put(history, [rows[place]])
    with history.reading() as connection:
        found = connection.execute(text("SELECT first, later FROM job_attempts ORDER BY attempt")).all()
    assert [tuple(row) for row in found] == [(0, 0), (1, 0), (0, 1), (0, None)]


def test_other_runs_and_other_jobs_are_not_reruns(history: History) -> None:
    put(history, [outcome(1, "failure"), outcome(2, run=2, attempt=2), outcome(3, attempt=2, job="other")])
    with history.reading() as connection:
        found = connection.execute(text("SELECT first, later FROM job_attempts ORDER BY job_id")).all()
    assert [tuple(row) for row in found] == [(1, None), (1, None), (1, None)]


def test_secrets_and_zero_bytes_are_not_stored(history: History) -> None:
    secret = "ghp_" + "a" * 36
    leaky = replace(OOM, text=f"cannot clone with {secret}\0 " + "x" * 5000)
    put(history, [outcome(1, "failure", causes=(leaky,), unexplained=f"token={secret}")])
    kept = stored(history, 1)
    assert secret not in kept.causes[0].text + kept.unexplained
    assert "\0" not in kept.causes[0].text
    assert len(kept.causes[0].text) <= 1000


def test_a_cancelled_attempt_counts_as_failed_only_when_it_ran_into_its_limit() -> None:
    timeout = CauseHit("job-time-limit", "ci-timeout", "infra", "t", 1, "exceeded the maximum execution time")
    assert outcome(1, "cancelled").passed is None
    assert outcome(1, "cancelled", causes=(timeout,)).passed is False
    assert outcome(1, "skipped").passed is None


def test_a_new_diagnosis_leaves_the_rest_of_the_row(history: History) -> None:
    before = outcome(1, "failure", causes=(OOM,))
    put(history, [before])
    after = replace(before, causes=(SECOND,), catalogue="2")
    replace_diagnosis(history, replace(after, workflow="must not be written"))
    assert stored(history, 1) == after


def test_what_waits_for_its_log_is_not_settled(history: History) -> None:
    put(history, [outcome(1, "failure"), outcome(2), outcome(3, "failure", log=LogState.PENDING)])
    assert settled_logs(history, 1) == {1, 2}
    assert failed_jobs(history, 0) == (1, 3)


def test_an_unknown_job_is_a_lookup_error(history: History) -> None:
    with pytest.raises(LookupError, match="job 5"):
        stored(history, 5)


def _write_many(target: str, writer: int) -> None:
    with opened(target) as history:
        for run in range(1, 16):
            at = MONDAY + timedelta(minutes=run)
            shared = outcome(run, "failure", run=run, at=at, causes=(OOM,))
            own = outcome(1000 * writer + run, run=run, attempt=2, at=at, job=f"job-{writer}")
            put(history, [shared, own], [RunAttempt(REPO, run, 1, "e2e", "main", True, "failure", at)])


@pytest.mark.parametrize("kind", DATABASES)
def test_writers_in_several_processes_lose_nothing(kind: str, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with database(kind, tmp_path) as target:
        with opened(target):
            writers = [context.Process(target=_write_many, args=(target, number)) for number in (1, 2, 3)]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
        assert [writer.exitcode for writer in writers] == [0, 0, 0]
        with opened(target) as history, history.reading() as connection:
            assert connection.execute(text("SELECT COUNT(*) FROM job_attempts")).scalar() == 15 + 3 * 15
            assert connection.execute(text("SELECT COUNT(*) FROM causes")).scalar() == 15
