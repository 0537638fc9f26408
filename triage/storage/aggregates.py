"""What reports read: counts, grouped by the database. Every query names its index in tests/storage's query plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, text

from triage.model.history import (
    Coverage,
    JobDay,
    LogCount,
    LogDay,
    LossDay,
    Period,
    QueueCount,
    Reach,
    RetryDay,
    RunDay,
    RunnerStratum,
    SignatureDay,
)
from triage.storage.database import History

Row = TypeVar("Row", bound=NamedTuple)

JOB_DAYS = """
SELECT workflow, job, pool, on_base, day,
  SUM(CASE WHEN passed = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN passed = 0 THEN 1 ELSE 0 END)
FROM job_attempts WHERE repo = :repo AND first = 1 AND day BETWEEN :first AND :last
GROUP BY workflow, job, pool, on_base, day
"""
RETRY_DAYS = """
SELECT workflow, job, pool, signature, day, COUNT(*), SUM(later)
FROM job_attempts WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last AND later IS NOT NULL
GROUP BY workflow, job, pool, signature, day
"""
_HELD = "gpus * (run_seconds + CASE WHEN held = 1 THEN COALESCE(queue_seconds, 0) ELSE 0 END)"
_OF_RERUN = "r.gpus * (r.run_seconds + CASE WHEN r.held = 1 THEN COALESCE(r.queue_seconds, 0) ELSE 0 END)"
LOSSES = f"""
SELECT 'failed', workflow, job, pool, signature, family, day, COUNT(*), SUM(first), SUM({_HELD}),
  SUM(CASE WHEN later = 1 THEN {_HELD} ELSE 0 END)
FROM job_attempts WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last
GROUP BY workflow, job, pool, signature, family, day
"""
# What a rerun repeats is the newest settled attempt before it.
RERUN_LOSSES = f"""
SELECT 'rerun', r.workflow, r.job, r.pool, COALESCE(b.signature, ''), COALESCE(b.family, ''), r.day, COUNT(*), 0,
  SUM({_OF_RERUN}), SUM({_OF_RERUN})
FROM job_attempts r LEFT JOIN job_attempts b ON b.repo = r.repo AND b.run_id = r.run_id AND b.job = r.job
  AND b.attempt = (SELECT MAX(e.attempt) FROM job_attempts e WHERE e.repo = r.repo AND e.run_id = r.run_id
    AND e.job = r.job AND e.attempt < r.attempt AND e.passed IS NOT NULL)
WHERE r.repo = :repo AND r.first = 0 AND r.passed = 1 AND r.day BETWEEN :first AND :last
GROUP BY r.workflow, r.job, r.pool, b.signature, b.family, r.day
"""
CANCELLED_LOSSES = f"""
SELECT 'cancelled', workflow, job, pool, '', '', day, COUNT(*), 0, SUM({_HELD}), 0
FROM job_attempts WHERE repo = :repo AND first = 0 AND passed IS NULL AND day BETWEEN :first AND :last
GROUP BY workflow, job, pool, day
"""
REACH = """
SELECT signature, family, COUNT(*), COUNT(DISTINCT CASE WHEN pull_request > 0 THEN pull_request END),
  COUNT(DISTINCT author), COUNT(DISTINCT job)
FROM job_attempts WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last GROUP BY signature, family
"""
RUNNERS = """
SELECT runner, pool, workflow, job, day / 7, COUNT(*), SUM(CASE WHEN passed = 0 THEN 1 ELSE 0 END)
FROM job_attempts WHERE repo = :repo AND day BETWEEN :first AND :last AND passed IS NOT NULL AND runner <> ''
GROUP BY runner, pool, workflow, job, day / 7
"""
QUEUES = """
SELECT pool, queue_seconds, COUNT(*) FROM job_attempts
WHERE repo = :repo AND day BETWEEN :first AND :last AND queue_seconds IS NOT NULL GROUP BY pool, queue_seconds
"""
RUN_DAYS = """
SELECT workflow, on_base, day, SUM(CASE WHEN passed = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN passed = 0 THEN 1 ELSE 0 END)
FROM run_attempts WHERE repo = :repo AND attempt = 1 AND passed IS NOT NULL AND day BETWEEN :first AND :last
GROUP BY workflow, on_base, day
"""
SIGNATURE_DAYS = """
SELECT signature, family, day, COUNT(*) FROM causes WHERE repo = :repo AND day BETWEEN :first AND :last
GROUP BY signature, family, day
"""
LOGS = """
SELECT log, log_detail, COUNT(*), SUM(CASE WHEN signature <> '' THEN 1 ELSE 0 END)
FROM job_attempts WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last GROUP BY log, log_detail
"""

LOG_DAYS = """
SELECT day, COUNT(*), SUM(CASE WHEN log = 'read' THEN 1 ELSE 0 END),
  SUM(CASE WHEN log = 'read' AND signature <> '' THEN 1 ELSE 0 END)
FROM job_attempts WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last GROUP BY day
"""


def select(history: History, row: type[Row], query: str, **parameters: object) -> tuple[Row, ...]:
    """Run a query whose columns are the fields of `row`, in order."""
    with history.reading() as connection:
        return _fetch(connection, row, query, {"repo": history.repo, **parameters})


def _fetch(connection: Connection, row: type[Row], query: str, parameters: dict[str, object]) -> tuple[Row, ...]:
    return tuple(map(row._make, connection.execute(text(query), parameters).all()))


def in_period(history: History, row: type[Row], query: str, period: Period) -> tuple[Row, ...]:
    """Groups of a period, sorted: a database promises no order of groups, and sums of fractions depend on it."""
    return tuple(sorted(select(history, row, query, first=period.first, last=period.last), key=_absent_first))


def _absent_first(row: tuple[object, ...]) -> tuple[tuple[bool, object], ...]:
    return tuple((value is not None, value) for value in row)


def job_days(history: History, period: Period) -> Sequence[JobDay]:
    return in_period(history, JobDay, JOB_DAYS, period)


def retry_days(history: History, period: Period) -> Sequence[RetryDay]:
    return in_period(history, RetryDay, RETRY_DAYS, period)


def loss_days(history: History, period: Period) -> Sequence[LossDay]:
    queries = (LOSSES, RERUN_LOSSES, CANCELLED_LOSSES)
    return tuple(row for query in queries for row in in_period(history, LossDay, query, period))


def reach(history: History, period: Period) -> Sequence[Reach]:
    return in_period(history, Reach, REACH, period)


def runner_strata(history: History, period: Period) -> Sequence[RunnerStratum]:
    return in_period(history, RunnerStratum, RUNNERS, period)


def queue_counts(history: History, period: Period) -> Sequence[QueueCount]:
    return in_period(history, QueueCount, QUEUES, period)


def run_days(history: History, period: Period) -> Sequence[RunDay]:
    return in_period(history, RunDay, RUN_DAYS, period)


def signature_days(history: History, period: Period) -> Sequence[SignatureDay]:
    return in_period(history, SignatureDay, SIGNATURE_DAYS, period)


def log_counts(history: History, period: Period) -> Sequence[LogCount]:
    return in_period(history, LogCount, LOGS, period)


def log_days(history: History, period: Period) -> Sequence[LogDay]:
    return in_period(history, LogDay, LOG_DAYS, period)


def coverage(history: History, period: Period) -> Coverage:
    """How complete the period is: runs listed (by creation) and read whole, attempts held, the newest one's time."""
    query = """
    SELECT
      (SELECT COUNT(*) FROM runs WHERE repo = :repo AND completed = 1 AND created BETWEEN :start AND :stop),
      (SELECT COUNT(*) FROM runs WHERE repo = :repo AND completed = 1 AND created BETWEEN :start AND :stop
        AND read_attempt >= attempt AND read_updated >= updated),
      (SELECT COUNT(*) FROM job_attempts WHERE repo = :repo AND day BETWEEN :first AND :last),
      (SELECT COALESCE(MAX(completed), 0) FROM job_attempts
        WHERE repo = :repo AND day = (SELECT MAX(day) FROM job_attempts WHERE repo = :repo)),
      (SELECT COALESCE(MAX(listed_at), 0) FROM windows WHERE repo = :repo)
    """
    seconds = {"start": period.first * 86_400, "stop": (period.last + 1) * 86_400 - 1}
    return select(history, Coverage, query, first=period.first, last=period.last, **seconds)[0]
