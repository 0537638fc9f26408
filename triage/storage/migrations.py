"""The schema's versions, each a list of statements that both databases understand. Steps are only ever added."""

from __future__ import annotations

from sqlalchemy import Connection, text

from triage.errors import UsageError

_ATTEMPTS = """
CREATE TABLE job_attempts (
  repo TEXT NOT NULL, job_id BIGINT NOT NULL, run_id BIGINT NOT NULL, attempt INTEGER NOT NULL,
  workflow TEXT NOT NULL, workflow_path TEXT NOT NULL, job TEXT NOT NULL, event TEXT NOT NULL, branch TEXT NOT NULL,
  on_base INTEGER NOT NULL, sha TEXT NOT NULL, author TEXT NOT NULL, pull_request INTEGER NOT NULL,
  conclusion TEXT NOT NULL, passed INTEGER, first INTEGER NOT NULL, later INTEGER,
  runner TEXT NOT NULL, pool TEXT NOT NULL, platform TEXT NOT NULL, gpus INTEGER NOT NULL, held INTEGER NOT NULL,
  created BIGINT, started BIGINT, completed BIGINT NOT NULL, day INTEGER NOT NULL,
  queue_seconds INTEGER, run_seconds INTEGER NOT NULL,
  step TEXT NOT NULL, log TEXT NOT NULL, log_detail TEXT NOT NULL, signature TEXT NOT NULL, family TEXT NOT NULL,
  unexplained TEXT NOT NULL, unexplained_line INTEGER NOT NULL, catalogue TEXT NOT NULL, url TEXT NOT NULL,
  PRIMARY KEY (repo, job_id))
"""
_CAUSES = """
CREATE TABLE causes (
  repo TEXT NOT NULL, job_id BIGINT NOT NULL, position INTEGER NOT NULL, day INTEGER NOT NULL,
  signature TEXT NOT NULL, family TEXT NOT NULL, category TEXT NOT NULL, fingerprint TEXT NOT NULL,
  line INTEGER NOT NULL, text TEXT NOT NULL, step TEXT NOT NULL, confidence TEXT NOT NULL,
  PRIMARY KEY (repo, job_id, position))
"""
_RUN_ATTEMPTS = """
CREATE TABLE run_attempts (
  repo TEXT NOT NULL, run_id BIGINT NOT NULL, attempt INTEGER NOT NULL, workflow TEXT NOT NULL, event TEXT NOT NULL,
  branch TEXT NOT NULL, on_base INTEGER NOT NULL, sha TEXT NOT NULL, conclusion TEXT NOT NULL, passed INTEGER,
  completed BIGINT NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (repo, run_id, attempt))
"""
_RUNS = """
CREATE TABLE runs (
  repo TEXT NOT NULL, run_id BIGINT NOT NULL, attempt INTEGER NOT NULL, updated BIGINT NOT NULL,
  created BIGINT NOT NULL, conclusion TEXT NOT NULL, completed INTEGER NOT NULL,
  read_attempt INTEGER NOT NULL, read_updated BIGINT NOT NULL, PRIMARY KEY (repo, run_id))
"""
_WINDOWS = """
CREATE TABLE windows (
  repo TEXT NOT NULL, start BIGINT NOT NULL, stop BIGINT NOT NULL, runs INTEGER NOT NULL, listed_at BIGINT NOT NULL,
  PRIMARY KEY (repo, start))
"""
_FIXES = """
CREATE TABLE fixes (
  repo TEXT NOT NULL, id TEXT NOT NULL, signature TEXT NOT NULL, title TEXT NOT NULL, workflow_path TEXT NOT NULL,
  job TEXT NOT NULL, state TEXT NOT NULL, proposed BIGINT NOT NULL, recipe TEXT NOT NULL,
  expectation_kind TEXT NOT NULL, expectation_text TEXT NOT NULL, merged BIGINT, merge_sha TEXT NOT NULL,
  pull_request INTEGER NOT NULL, expires INTEGER, owner TEXT NOT NULL, PRIMARY KEY (repo, id))
"""

_ON_BASE = " WHERE on_base = 1"

STEPS: tuple[tuple[str, ...], ...] = (
    (_ATTEMPTS, _CAUSES, _RUN_ATTEMPTS, _RUNS, _WINDOWS, _FIXES),
    (
        # Attempts of one job in one run: reruns.
        "CREATE INDEX attempts_by_run ON job_attempts (repo, run_id, job, attempt, passed)",
        # Rates by job and by runner are answered from these indexes alone.
        "CREATE INDEX attempts_by_day ON job_attempts (repo, first, day, workflow, job, pool, on_base, passed)",
        "CREATE INDEX attempts_by_runner ON job_attempts (repo, day, runner, pool, workflow, job, passed)",
        "CREATE INDEX attempts_by_pool ON job_attempts (repo, day, pool, queue_seconds)",
        "CREATE INDEX attempts_failed ON job_attempts (repo, day) WHERE passed = 0",
        "CREATE INDEX attempts_by_cause ON job_attempts (repo, signature, completed) WHERE passed = 0",
        "CREATE INDEX attempts_rerun ON job_attempts (repo, day) WHERE first = 0",
        "CREATE INDEX attempts_base ON job_attempts (repo, first, day, workflow, job, completed, passed)" + _ON_BASE,
        "CREATE INDEX attempts_on_base ON job_attempts (repo, workflow, job, completed, passed, sha)" + _ON_BASE,
        "CREATE INDEX attempts_by_job ON job_attempts (repo, workflow_path, job, created)",
        "CREATE INDEX causes_by_day ON causes (repo, day, signature, family)",
        "CREATE INDEX runs_by_day ON run_attempts (repo, day, attempt, workflow, on_base, passed)",
        "CREATE INDEX runs_by_branch ON run_attempts (repo, workflow, branch, completed, passed)",
        "CREATE INDEX runs_created ON runs (repo, created)",
    ),
    (
        "ALTER TABLE runs ADD COLUMN listed TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE fixes ADD COLUMN expectation_program TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE fixes ADD COLUMN expectation_step INTEGER NOT NULL DEFAULT -1",
    ),
)
VERSION = len(STEPS)


def version_of(connection: Connection) -> int:
    """0 for a database that triage never wrote to."""
    connection.execute(text("CREATE TABLE IF NOT EXISTS triage_schema (version INTEGER NOT NULL)"))
    return int(connection.execute(text("SELECT COALESCE(MAX(version), 0) FROM triage_schema")).scalar_one())


def migrate(connection: Connection) -> None:
    """Bring the schema to VERSION inside the caller's transaction. Raises UsageError when it is newer than that."""
    found = version_of(connection)
    if found > VERSION:
        raise UsageError(
            f"The history has schema version {found}; this triage knows versions up to {VERSION}.",
            "Upgrade triage, or give another --db.",
        )
    for number, statements in enumerate(STEPS[found:], start=found + 1):
        for statement in statements:
            connection.execute(text(statement))
        connection.execute(text("INSERT INTO triage_schema (version) VALUES (:version)"), {"version": number})
