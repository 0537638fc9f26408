"""The ledger of fixes, and the counts by which `triage verify` judges whether one held."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import select as sql_select

from triage.model.outcome import FixRecord
from triage.storage.aggregates import select
from triage.storage.database import History, upsert
from triage.storage.rows import fix_of, fix_row
from triage.storage.schema import fixes


class Trial(NamedTuple):
    """Settled attempts of the fixed job in an interval; `hits` failed with the fixed cause and held `gpu_seconds`."""

    settled: int
    hits: int
    gpu_seconds: int
    last_hit: int  # seconds since 1970; 0: none
    newest_job: int  # the newest attempt's job id; 0: none


# On the base branch, or on a pull request opened or pushed after the moment: GitHub tests those merged into the base.
TRIAL = """
SELECT COUNT(*),
  COALESCE(SUM(CASE WHEN hit = 1 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN hit = 1 THEN gpu_seconds END), 0),
  COALESCE(MAX(CASE WHEN hit = 1 THEN completed END), 0),
  COALESCE((SELECT n.job_id FROM job_attempts n WHERE n.repo = :repo AND n.job = :job
    AND n.workflow_path = :path AND n.passed IS NOT NULL AND n.created BETWEEN :start AND :stop
    AND (n.on_base = 1 OR n.event = 'pull_request') AND n.attempt = 1 ORDER BY n.completed DESC LIMIT 1), 0)
FROM (
  SELECT j.completed, j.gpus * j.run_seconds AS gpu_seconds,
    CASE WHEN j.passed = 0 AND EXISTS (SELECT 1 FROM causes c WHERE c.repo = j.repo AND c.job_id = j.job_id
      AND c.signature = :signature) THEN 1 ELSE 0 END AS hit
  FROM job_attempts j
  WHERE j.repo = :repo AND j.job = :job AND j.workflow_path = :path AND j.passed IS NOT NULL AND j.attempt = 1
    AND (j.on_base = 1 OR j.event = 'pull_request') AND j.created BETWEEN :start AND :stop) AS trials
"""


def put_fixes(history: History, records: Iterable[FixRecord]) -> None:
    with history.writing() as connection:
        upsert(connection, fixes, [fix_row(record) for record in records])


def all_fixes(history: History) -> tuple[FixRecord, ...]:
    """Oldest first."""
    query = sql_select(fixes).where(fixes.c.repo == history.repo).order_by(fixes.c.proposed, fixes.c.id)
    with history.reading() as connection:
        return tuple(fix_of(row) for row in connection.execute(query).mappings())


def trial(history: History, fix: FixRecord, start: int, stop: int) -> Trial:
    """First attempts of the fixed job whose run contains the base as of `start`..`stop` (seconds since 1970).

    Reruns are left out: they repeat the commit, and with it the base, of an earlier time.
    """
    of = {"job": fix.job, "path": fix.workflow_path, "signature": fix.signature}
    return select(history, Trial, TRIAL, start=start, stop=stop, **of)[0]
