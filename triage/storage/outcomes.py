"""Writing outcomes: every write is an upsert in one transaction, so that it may be repeated and interrupted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, delete, select, text, update

from triage.model.outcome import LogState, Outcome, RunAttempt
from triage.storage.database import History, upsert
from triage.storage.rows import attempt_row, cause_of, cause_rows, outcome_of, run_attempt_row
from triage.storage.schema import causes, job_attempts, run_attempts

_CHUNK = 500

# Both databases walk the index (repo, run_id, job, attempt, passed): no attempt outside these runs is read.
_ORDER = """
UPDATE job_attempts AS j SET
  first = CASE WHEN j.passed IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM job_attempts e WHERE e.repo = j.repo AND e.run_id = j.run_id AND e.job = j.job
      AND e.attempt < j.attempt AND e.passed IS NOT NULL) THEN 1 ELSE 0 END,
  later = (SELECT n.passed FROM job_attempts n WHERE n.repo = j.repo AND n.run_id = j.run_id AND n.job = j.job
      AND n.attempt > j.attempt AND n.passed IS NOT NULL ORDER BY n.attempt LIMIT 1)
WHERE j.repo = :repo AND j.run_id IN :runs
"""


def put(history: History, outcomes: Iterable[Outcome], attempts: Iterable[RunAttempt] = ()) -> None:
    """Write outcomes and run attempts, replacing what was there under the same ids."""
    with history.writing() as connection:
        write(connection, tuple(outcomes), tuple(attempts))


def write(connection: Connection, outcomes: Sequence[Outcome], attempts: Sequence[RunAttempt]) -> None:
    """Inside the caller's transaction: it may have more to write that must not be seen without these."""
    upsert(connection, run_attempts, [run_attempt_row(attempt) for attempt in attempts])
    for start in range(0, len(outcomes), _CHUNK):
        chunk = outcomes[start : start + _CHUNK]
        upsert(connection, job_attempts, [attempt_row(outcome) for outcome in chunk])
        _write_causes(connection, chunk)
    for repo in {outcome.repo for outcome in outcomes}:
        order_attempts(connection, repo, {outcome.run_id for outcome in outcomes if outcome.repo == repo})


def _write_causes(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    upsert(connection, causes, [row for outcome in outcomes for row in cause_rows(outcome)])
    surplus = delete(causes).where(
        causes.c.repo == bindparam("of_repo"),
        causes.c.job_id == bindparam("of_job"),
        causes.c.position >= bindparam("count"),
    )
    failed = [outcome for outcome in outcomes if outcome.log is not LogState.NOT_NEEDED]
    if failed:
        keys = [{"of_repo": o.repo, "of_job": o.job_id, "count": len(o.causes)} for o in failed]
        connection.execute(surplus, keys)


def order_attempts(connection: Connection, repo: str, run_ids: Iterable[int]) -> None:
    """Say of each attempt in these runs whether it is its job's first settled one, and how the next one ended."""
    statement = text(_ORDER).bindparams(bindparam("runs", expanding=True))
    ids = sorted(run_ids)
    for start in range(0, len(ids), _CHUNK):
        connection.execute(statement, {"repo": repo, "runs": ids[start : start + _CHUNK]})


def settled_logs(history: History, run_id: int) -> frozenset[int]:
    """The jobs of a run whose rows are final: not failed, or their log was read or is known to be gone."""
    query = select(job_attempts.c.job_id).where(
        job_attempts.c.repo == history.repo,
        job_attempts.c.run_id == run_id,
        job_attempts.c.log != str(LogState.PENDING),
    )
    with history.reading() as connection:
        return frozenset(connection.execute(query).scalars())


def failed_jobs(history: History, first_day: int) -> tuple[int, ...]:
    """The ids of every attempt since a day that has a log to diagnose, oldest first: what a rescore goes over."""
    query = (
        select(job_attempts.c.job_id)
        .where(
            job_attempts.c.repo == history.repo,
            job_attempts.c.day >= first_day,
            job_attempts.c.log != str(LogState.NOT_NEEDED),
        )
        .order_by(job_attempts.c.day, job_attempts.c.job_id)
    )
    with history.reading() as connection:
        return tuple(connection.execute(query).scalars())


def outcome(history: History, job_id: int) -> Outcome:
    """One attempt, with its causes. LookupError when the history does not hold it."""
    of_attempt = select(job_attempts).where(job_attempts.c.repo == history.repo, job_attempts.c.job_id == job_id)
    of_causes = select(causes).where(causes.c.repo == history.repo, causes.c.job_id == job_id)
    with history.reading() as connection:
        row = connection.execute(of_attempt).mappings().one_or_none()
        if row is None:
            raise LookupError(f"job {job_id} of {history.repo} is not in the history")
        hits = connection.execute(of_causes.order_by(causes.c.position)).mappings()
        return outcome_of(row, [cause_of(hit) for hit in hits])


def replace_diagnosis(history: History, changed: Outcome) -> None:
    """Change only what a diagnosis says of an attempt that is already in the history."""
    row = attempt_row(changed)
    names = (
        "passed",
        "step",
        "log",
        "log_detail",
        "signature",
        "family",
        "unexplained",
        "unexplained_line",
        "catalogue",
    )
    of = (job_attempts.c.repo == changed.repo, job_attempts.c.job_id == changed.job_id)
    with history.writing() as connection:
        connection.execute(update(job_attempts).where(*of).values({name: row[name] for name in names}))
        _write_causes(connection, [changed])
        order_attempts(connection, changed.repo, [changed.run_id])
