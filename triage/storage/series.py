"""Queries over the order of results: flips, streaks, time to green, commit windows, and single sightings.

What ended in the same second is ordered by its number: a database may give it in any order.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage.model.history import CommitWindow, FlipCount, GreenEpisode, Period, Sighting, Streak
from triage.model.outcome import SECONDS_PER_DAY
from triage.storage.aggregates import in_period, select
from triage.storage.database import History

FLIPS = """
SELECT workflow, job, COUNT(*), SUM(CASE WHEN passed <> before THEN 1 ELSE 0 END) FROM (
  SELECT workflow, job, passed, LAG(passed) OVER (PARTITION BY workflow, job ORDER BY completed, job_id) AS before
  FROM job_attempts WHERE repo = :repo AND first = 1 AND on_base = 1 AND day BETWEEN :first AND :last) AS results
WHERE before IS NOT NULL GROUP BY workflow, job
"""
# Failures since the newest pass; a job without any pass in the period counts all of them.
STREAKS = """
SELECT r.workflow, r.job, SUM(CASE WHEN r.completed > COALESCE(g.green, 0) THEN 1 ELSE 0 END), COUNT(*)
FROM job_attempts r LEFT JOIN (
  SELECT workflow, job, MAX(completed) AS green FROM job_attempts
  WHERE repo = :repo AND first = 1 AND on_base = 1 AND passed = 1 AND day BETWEEN :first AND :last
  GROUP BY workflow, job) AS g
  ON g.workflow = r.workflow AND g.job = r.job
WHERE r.repo = :repo AND r.first = 1 AND r.on_base = 1 AND r.day BETWEEN :first AND :last
GROUP BY r.workflow, r.job
"""
# The next green attempt is a running minimum from the newest attempt backwards: one pass, no frame per row.
EPISODES = """
WITH red AS (
  SELECT DISTINCT workflow, branch FROM run_attempts
  WHERE repo = :repo AND passed = 0 AND day BETWEEN :first AND :last),
ordered AS (
  SELECT r.workflow, r.branch, r.on_base, r.completed, r.day, r.passed,
    LAG(r.passed) OVER (PARTITION BY r.workflow, r.branch ORDER BY r.completed, r.run_id, r.attempt) AS before,
    MIN(CASE WHEN r.passed = 1 THEN r.completed END)
      OVER (PARTITION BY r.workflow, r.branch ORDER BY r.completed DESC, r.run_id DESC, r.attempt DESC) AS green
  FROM red JOIN run_attempts r ON r.repo = :repo AND r.workflow = red.workflow AND r.branch = red.branch
  WHERE r.passed IS NOT NULL AND r.completed BETWEEN :since AND :until)
SELECT workflow, branch, on_base, green - completed FROM ordered
WHERE passed = 0 AND (before IS NULL OR before = 1) AND day BETWEEN :first AND :last
"""
# How far before the period the red of an episode is looked for: an older one belongs to an older report.
_LOOK_BACK_DAYS = 30
_STREAK_DAYS = 56
_SIGHTING = "j.signature, j.job, j.runner, j.url, COALESCE(c.line, j.unexplained_line), COALESCE(c.text, j.unexplained)"
SIGHTINGS = f"""
SELECT {_SIGHTING}, j.completed, j.pull_request FROM job_attempts j
LEFT JOIN causes c ON c.repo = j.repo AND c.job_id = j.job_id AND c.position = 0
WHERE j.repo = :repo AND j.passed = 0 AND j.signature = :signature AND j.completed BETWEEN :start AND :stop
ORDER BY j.completed DESC, j.job_id DESC LIMIT :count
"""
ON_RUNNER = f"""
SELECT {_SIGHTING}, j.completed, j.pull_request FROM job_attempts j
LEFT JOIN causes c ON c.repo = j.repo AND c.job_id = j.job_id AND c.position = 0
WHERE j.repo = :repo AND j.passed = 0 AND j.day BETWEEN :first AND :last AND j.runner = :runner AND j.pool = :pool
ORDER BY j.completed DESC, j.job_id DESC LIMIT :count
"""
UNEXPLAINED = f"""
SELECT {_SIGHTING}, j.completed, j.pull_request FROM job_attempts j
LEFT JOIN causes c ON c.repo = j.repo AND c.job_id = j.job_id AND c.position = 0
WHERE j.repo = :repo AND j.passed = 0 AND j.day BETWEEN :first AND :last AND j.log = 'read' AND j.signature = ''
ORDER BY j.completed DESC, j.job_id DESC LIMIT :count
"""
COMMITS = """
SELECT
  COALESCE((SELECT sha FROM job_attempts WHERE repo = :repo AND workflow = :workflow AND job = :job AND on_base = 1
    AND passed IS NOT NULL AND completed < :start ORDER BY completed DESC, job_id DESC LIMIT 1), ''),
  COALESCE((SELECT sha FROM job_attempts WHERE repo = :repo AND workflow = :workflow AND job = :job AND on_base = 1
    AND passed IS NOT NULL AND completed >= :stop ORDER BY completed, job_id LIMIT 1), '')
"""


def flips(history: History, period: Period) -> Sequence[FlipCount]:
    return in_period(history, FlipCount, FLIPS, period)


def streaks(history: History, period: Period) -> Sequence[Streak]:
    """At the end of the period, looking back further than most periods: a streak does not begin with a report."""
    return in_period(history, Streak, STREAKS, period.ending_here(_STREAK_DAYS))


def green_episodes(history: History, period: Period) -> Sequence[GreenEpisode]:
    """Episodes that began in the period. What became green after its end counts as still red then."""
    times = {
        "since": (period.first - _LOOK_BACK_DAYS) * SECONDS_PER_DAY,
        "until": (period.last + 1) * SECONDS_PER_DAY - 1,
    }
    return select(history, GreenEpisode, EPISODES, first=period.first, last=period.last, **times)


def sightings(history: History, period: Period, signature: str, count: int) -> Sequence[Sighting]:
    """The newest failed attempts whose first cause is `signature`."""
    times = {"start": period.first * SECONDS_PER_DAY, "stop": (period.last + 1) * SECONDS_PER_DAY - 1}
    return select(history, Sighting, SIGHTINGS, signature=signature, count=count, **times)


def sightings_on(history: History, period: Period, runner: str, pool: str, count: int) -> Sequence[Sighting]:
    return select(
        history, Sighting, ON_RUNNER, first=period.first, last=period.last, runner=runner, pool=pool, count=count
    )


def unexplained(history: History, period: Period, count: int) -> Sequence[Sighting]:
    """The newest failed attempts whose log was read and explained nothing."""
    return select(history, Sighting, UNEXPLAINED, first=period.first, last=period.last, count=count)


def commit_window(history: History, workflow: str, job: str, first_day: int, last_day: int) -> CommitWindow:
    """The base commits around the days in which a change began; "" where the history does not reach."""
    times = {"start": first_day * SECONDS_PER_DAY, "stop": (last_day + 1) * SECONDS_PER_DAY}
    return select(history, CommitWindow, COMMITS, workflow=workflow, job=job, **times)[0]
