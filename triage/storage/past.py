"""What a judgement of one cause reads from the history: sightings on the base branch and elsewhere, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import text

from triage.flakiness.intervals import rate
from triage.model.evidence import Observation, Record, Sight
from triage.storage.database import History

DAYS = 28
_COLUMNS = """j.run_id, j.attempt, j.sha, j.author, j.pull_request, j.url, j.completed, j.passed, j.signature,
  (SELECT COUNT(*) FROM causes c WHERE c.repo = j.repo AND c.job_id = j.job_id AND c.fingerprint = :cause)"""
BASE = f"""
SELECT {_COLUMNS} FROM job_attempts j
WHERE j.repo = :repo AND j.workflow = :workflow AND j.job = :job AND j.on_base = 1 AND j.first = 1
  AND j.passed IS NOT NULL AND j.completed >= :since ORDER BY j.completed DESC LIMIT :count
"""
PULLS = f"""
SELECT {_COLUMNS} FROM job_attempts j
WHERE j.repo = :repo AND j.workflow = :workflow AND j.job = :job AND j.on_base = 0 AND j.passed = 0
  AND j.completed >= :since AND EXISTS (
    SELECT 1 FROM causes c WHERE c.repo = j.repo AND c.job_id = j.job_id AND c.fingerprint = :cause)
ORDER BY j.completed DESC LIMIT :count
"""
RECORD = """
SELECT COUNT(*), COUNT(DISTINCT CASE WHEN j.pull_request > 0 AND j.pull_request <> :pull THEN j.pull_request END),
  MIN(j.completed), MAX(j.completed)
FROM job_attempts j WHERE j.repo = :repo AND j.signature = :signature AND j.passed = 0 AND j.completed >= :since
  AND EXISTS (SELECT 1 FROM causes c WHERE c.repo = j.repo AND c.job_id = j.job_id AND c.fingerprint = :cause)
"""
RERUNS = """
SELECT COUNT(*), COALESCE(SUM(later), 0) FROM job_attempts
WHERE repo = :repo AND signature = :signature AND passed = 0 AND completed >= :since AND later IS NOT NULL
"""
SECONDS = """
SELECT run_seconds FROM job_attempts
WHERE repo = :repo AND workflow = :workflow AND job = :job AND passed = 1 AND completed >= :since
ORDER BY run_seconds
"""
SYNCED = "SELECT COALESCE(MAX(listed_at), 0) FROM windows WHERE repo = :repo"


class _Row(NamedTuple):
    run: int
    attempt: int
    sha: str
    author: str
    pull: int
    url: str
    completed: int
    passed: int
    signature: str
    same: int


class Past:
    """Fulfils `pipeline.past.Past`: the last `days` days before `now`."""

    def __init__(self, history: History, now: datetime, days: int = DAYS) -> None:
        self._history = history
        self._days = days
        self._since = int((now - timedelta(days=days)).timestamp())

    def base(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        return self._observed(BASE, workflow=workflow, job=job, cause=cause, count=count)

    def pulls(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        return self._observed(PULLS, workflow=workflow, job=job, cause=cause, count=count)

    def record(self, workflow: str, job: str, cause: str, signature: str, pull: int, minimum: int) -> Record:
        base = self.base(workflow, job, cause, 10_000)
        same = sum(seen.sight is Sight.SAME_CAUSE for seen in base)
        ((failures, pulls, first, last),) = self._ask(RECORD, cause=cause, signature=signature, pull=pull)
        ((retried, recovered),) = self._ask(RERUNS, signature=signature)
        ((synced,),) = self._ask(SYNCED)
        return Record(
            self._days,
            failures,
            pulls,
            rate(same, len(base), minimum),
            rate(recovered, retried, minimum),
            _middle([row[0] for row in self._ask(SECONDS, workflow=workflow, job=job)]),
            _date(first),
            _date(last),
            _date(synced),
        )

    def _observed(self, query: str, **parameters: object) -> tuple[Observation, ...]:
        return tuple(_observation(_Row._make(row)) for row in self._ask(query, **parameters))

    def _ask(self, query: str, **parameters: object) -> list[tuple[int, ...]]:
        with self._history.reading() as connection:
            asked = {"repo": self._history.repo, "since": self._since, **parameters}
            return [tuple(row) for row in connection.execute(text(query), asked)]


def _observation(row: _Row) -> Observation:
    when = f"run {row.run} of {datetime.fromtimestamp(row.completed, UTC):%Y-%m-%d}"
    return Observation(_sight(row), when, row.url, row.sha, row.author, row.pull, run=row.run)


def _sight(row: _Row) -> Sight:
    if row.passed:
        return Sight.PASSED
    if row.same:
        return Sight.SAME_CAUSE
    return Sight.OTHER_CAUSE if row.signature else Sight.FAILED


def _middle(values: Sequence[int]) -> int:
    return values[len(values) // 2] if values else 0


def _date(seconds: int | None) -> date | None:
    return datetime.fromtimestamp(seconds, UTC).date() if seconds else None
