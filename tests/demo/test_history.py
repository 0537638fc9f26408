from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text

from tests.histories import opened
from triage.demo.history import DAYS, last_midnight, write_history
from triage.demo.planted import JOBS, REPO

END = datetime(2026, 11, 30, tzinfo=UTC)


def dump(folder: Path, days: int) -> list[tuple[object, ...]]:
    with opened(str(folder), REPO) as history:
        write_history(history, END, days=days)
        with history.reading() as connection:
            return [tuple(row) for row in connection.execute(text("SELECT * FROM job_attempts ORDER BY job_id"))]


def test_the_same_half_year_every_time(tmp_path: Path) -> None:
    first = dump(tmp_path / "one.db", 14)
    assert first == dump(tmp_path / "two.db", 14)


def test_it_is_half_a_year_of_every_job_and_ends_on_the_last_day(tmp_path: Path) -> None:
    assert 15_000 < len(dump(tmp_path / "h.db", DAYS)) < 40_000
    with opened(str(tmp_path / "h.db"), REPO) as history, history.reading() as connection:
        first, last, jobs = connection.execute(
            text("SELECT MIN(day), MAX(day), COUNT(DISTINCT job) FROM job_attempts")
        ).one()
        cost = connection.execute(
            text("SELECT COUNT(*) FROM job_attempts WHERE created IS NULL OR run_seconds <= 0")
        ).scalar()
    assert DAYS - 1 <= last - first <= DAYS + 1
    assert (jobs, cost) == (len(JOBS), 0)


def test_midnight_is_in_utc() -> None:
    assert last_midnight(datetime(2026, 11, 30, 8, 5, tzinfo=UTC)) == END
