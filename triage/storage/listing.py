"""What a sync has seen and what it still has to read: kept in the database, so that it can stop at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, or_, select, update

from triage.model.outcome import FAILED_OUTRIGHT, Outcome, RunAttempt
from triage.model.run import Run
from triage.storage.database import History, upsert
from triage.storage.outcomes import write
from triage.storage.rows import run_of_text, run_text, seconds
from triage.storage.schema import runs, windows


class Window(NamedTuple):
    """Creation times `start`..`stop` (seconds since 1970, both kept), listed to the end at `listed_at`."""

    start: int
    stop: int
    runs: int
    listed_at: int


class Unread(NamedTuple):
    """A run to read, as it was listed."""

    run: Run

    @property
    def updated(self) -> int:
        return seconds(self.run.updated_at) or 0


def record(history: History, listed: Sequence[Run]) -> None:
    """Remember one page of a listing. What was already read of these runs stays known."""
    with history.writing() as connection:
        known = _read_state(connection, history.repo, [run.id for run in listed])
        upsert(connection, runs, [_row(run, *known.get(run.id, (0, 0))) for run in listed], newer="updated")


def _read_state(connection: Connection, repo: str, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    query = select(runs.c.run_id, runs.c.read_attempt, runs.c.read_updated)
    found = connection.execute(query.where(runs.c.repo == repo, runs.c.run_id.in_(ids)))
    return {row.run_id: (row.read_attempt, row.read_updated) for row in found}


def _row(run: Run, read_attempt: int, read_updated: int) -> dict[str, object]:
    return {
        "repo": run.repo,
        "run_id": run.id,
        "attempt": run.attempt,
        "updated": seconds(run.updated_at) or 0,
        "created": seconds(run.created_at) or 0,
        "conclusion": run.conclusion or "",
        "completed": int(run.status == "completed"),
        "listed": run_text(run),
        "read_attempt": read_attempt,
        "read_updated": read_updated,
    }


def remember_window(history: History, window: Window) -> None:
    with history.writing() as connection:
        upsert(connection, windows, [{"repo": history.repo, **window._asdict()}], newer="listed_at")


def windows_since(history: History, start: int) -> dict[int, Window]:
    """By their start."""
    query = select(windows.c.start, windows.c.stop, windows.c.runs, windows.c.listed_at)
    with history.reading() as connection:
        found = connection.execute(query.where(windows.c.repo == history.repo, windows.c.start >= start))
        return {row.start: Window(*row) for row in found}


def unread(history: History, start: int, stop: int) -> tuple[Unread, ...]:
    """Finished runs created in start..stop that were not read whole as they are now: the failed and the retried ones
    first (they hold what a report is about), the newest first."""
    telling = or_(runs.c.attempt > 1, runs.c.conclusion.in_(sorted(FAILED_OUTRIGHT)))
    query = (
        select(runs.c.listed)
        .where(
            runs.c.repo == history.repo,
            runs.c.completed == 1,
            runs.c.created.between(start, stop),
            or_(runs.c.read_attempt < runs.c.attempt, runs.c.read_updated < runs.c.updated),
        )
        .order_by(case((telling, 0), else_=1), runs.c.created.desc())
    )
    with history.reading() as connection:
        return tuple(Unread(run_of_text(text)) for text in connection.execute(query).scalars())


def put_runs(
    history: History, runs_read: Sequence[Unread], outcomes: Sequence[Outcome], attempts: Sequence[RunAttempt]
) -> None:
    """Write what was read of runs, and in the same transaction that these are done: a kill in between leaves neither.
    A run that was not read whole is not named in `runs_read`, and is taken up again by the next sync."""
    done = (
        update(runs)
        .where(runs.c.repo == history.repo, runs.c.run_id == bindparam("of_run"))
        .values(read_attempt=bindparam("as_attempt"), read_updated=bindparam("as_updated"))
    )
    marks = [{"of_run": it.run.id, "as_attempt": it.run.attempt, "as_updated": it.updated} for it in runs_read]
    with history.writing() as connection:
        write(connection, outcomes, attempts)
        if marks:
            connection.execute(done, marks)


def forget_windows(history: History, starts: Sequence[int]) -> None:
    """These days will be listed again."""
    with history.writing() as connection:
        connection.execute(delete(windows).where(windows.c.repo == history.repo, windows.c.start.in_(starts)))
