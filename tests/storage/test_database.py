import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from tests.histories import DATABASES, MONDAY, OOM, REPO, database, opened, outcome
from triage.errors import UsageError
from triage.model.outcome import FixRecord, FixState
from triage.storage.database import History, repository_in, writing
from triage.storage.exchange import export
from triage.storage.ledger import put_fixes
from triage.storage.migrations import STEPS, VERSION
from triage.storage.outcomes import outcome as stored
from triage.storage.outcomes import put
from triage.storage.schema import metadata


def test_the_tables_for_queries_are_those_that_the_migrations_make(history: History) -> None:
    found = inspect(history.engine)
    for table in metadata.sorted_tables:
        assert {column["name"] for column in found.get_columns(table.name)} == set(table.columns.keys())
        keys = found.get_pk_constraint(table.name)["constrained_columns"]
        assert set(keys) == {column.name for column in table.primary_key}


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_history_of_an_older_version_is_brought_up_and_keeps_its_rows(
    kind: str, version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database(kind, tmp_path) as target:
        monkeypatch.setattr("triage.storage.migrations.STEPS", STEPS[:version])
        monkeypatch.setattr("triage.storage.migrations.VERSION", version)
        with opened(target) as old:
            put(old, [outcome(1)])
        monkeypatch.undo()
        with opened(target) as new:
            assert stored(new, 1) == outcome(1)
            with new.reading() as connection:
                assert connection.execute(text("SELECT MAX(version) FROM triage_schema")).scalar() == VERSION


@pytest.mark.parametrize("kind", DATABASES)
def test_a_newer_version_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    with database(kind, tmp_path) as target:
        with opened(target) as history, writing(history.engine) as connection:
            connection.execute(text("INSERT INTO triage_schema (version) VALUES (99)"))
        with pytest.raises(UsageError, match="schema version 99") as caught:
            History.open(target, REPO)
        assert "Upgrade triage" in caught.value.remedy


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    odd = tmp_path / "notes.txt"
    odd.write_text("not a database, but a long enough text to be looked at as one " * 20)
    with pytest.raises(UsageError, match="cannot be opened"):
        History.open(str(odd), REPO)


@pytest.mark.parametrize("target", ["nosuch://x", "mysql://x/y", "http://[x", "postgresql://nobody@127.0.0.1:1/none"])
def test_what_cannot_be_reached_is_a_usage_error(target: str) -> None:
    with pytest.raises(UsageError):
        History.open(target, REPO)


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        History.open("postgresql://someone:hunter2secret@127.0.0.1:1/none", REPO)
    assert "hunter2secret" not in str(caught.value)


@pytest.mark.parametrize("kind", DATABASES)
def test_many_may_open_a_new_database_at_once(kind: str, tmp_path: Path) -> None:
    def fill(number: int) -> None:
        with opened(target) as history:
            put(history, [outcome(number)])

    with database(kind, tmp_path) as target:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(fill, range(6)))
        with opened(target) as history:
            assert [stored(history, number).job_id for number in range(6)] == list(range(6))


def test_a_closed_sqlite_history_is_one_file(tmp_path: Path) -> None:
    with opened(str(tmp_path / "history.db")) as history:
        put(history, [outcome(1)])
    assert [path.name for path in tmp_path.iterdir()] == ["history.db"]
    connection = sqlite3.connect(tmp_path / "history.db")
    assert connection.execute("SELECT COUNT(*) FROM job_attempts").fetchone() == (1,)
    connection.close()


def test_a_history_that_another_one_writes_is_closed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.storage.database.BUSY_SECONDS", 0)
    with History.open(str(tmp_path / "history.db"), REPO) as history:
        other = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError, match="cannot be written: database is locked") as told, history.writing():
            pass
        assert "Another process uses it" in told.value.remedy
    other.close()


def test_a_ledger_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    fix = FixRecord(REPO, "pr-1-p1", "gpu-oom", "Halve it", "e2e.yml", "ppo", FixState.PROPOSED, MONDAY)
    with History.open(str(tmp_path / "history.db"), REPO) as history:
        with history.writing() as connection:
            refuse = "CREATE TRIGGER full BEFORE INSERT ON fixes BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
            connection.exec_driver_sql(refuse)
        with pytest.raises(UsageError, match=r"cannot be written: the disk is full") as told:
            put_fixes(history, [fix])
        assert "Make room" in told.value.remedy


def damaged(target: str, statement: str) -> None:
    connection = sqlite3.connect(target)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_database_that_is_damaged_behind_its_front_is_no_bug(tmp_path: Path) -> None:
    """Also through pandas, which gives its faults another name."""
    target = str(tmp_path / "history.db")
    with opened(target) as history:
        put(history, [outcome(1)])
    damaged(target, "DROP TABLE causes")
    with opened(target) as history:
        for use in (
            lambda: put(history, [outcome(2, causes=(OOM,))]),
            lambda: export(history, tmp_path / "out", "csv"),
        ):
            with pytest.raises(
                UsageError, match=r"history\.db cannot be (read|written): no such table: causes"
            ) as told:
                use()
            assert "damaged" in told.value.remedy
            assert "SELECT" not in told.value.message


def test_a_ledger_alone_says_whose_it_is(tmp_path: Path) -> None:
    target = str(tmp_path / "history.db")
    with opened(target) as history:
        put_fixes(history, [FixRecord(REPO, "x", "gpu-oom", "t", "e2e.yml", "ppo", FixState.PROPOSED, MONDAY)])
    assert repository_in(target) == REPO


def test_a_folder_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened: unable to open") as told:
        History.open(str(tmp_path), REPO)
    assert "Is it a file" in told.value.remedy


def test_a_number_that_no_column_holds_is_said(tmp_path: Path) -> None:
    fix = FixRecord(REPO, "x", "gpu-oom", "t", "e2e.yml", "ppo", FixState.PROPOSED, MONDAY, pull_request=10**30)
    with (
        History.open(str(tmp_path / "history.db"), REPO) as history,
        pytest.raises(UsageError, match="cannot be written: Python int too large"),
    ):
        put_fixes(history, [fix])


def test_an_overflow_of_our_own_stays_a_bug(tmp_path: Path) -> None:
    with opened(str(tmp_path / "history.db")) as history, pytest.raises(OverflowError), history.reading():
        raise OverflowError("date value out of range")
