"""Opens the database: SQLite by default, PostgreSQL by URL. Both are safe with several writers at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from triage.errors import UsageError
from triage.storage.faults import REMEDY, first_line, remedy, telling
from triage.storage.migrations import migrate

BUSY_SECONDS = 60
_RECORDS = ("runs", "windows", "job_attempts")
# A ledger of fixes may begin before the first sync.
_HELD = "SELECT repo FROM job_attempts UNION SELECT repo FROM fixes ORDER BY repo LIMIT 2"
# Any number will do, as long as every triage takes the same one.
_MIGRATION_LOCK = 7_041_776
_WRITE = "BEGIN IMMEDIATE"


def open_database(target: str) -> Engine:
    """`target`: a file, or an SQLAlchemy URL (`sqlite:///F`, `postgresql://...`). Creates and migrates the schema.

    Raises UsageError when it cannot be opened, is no history of triage, or was written by a newer triage.
    """
    engine = _engine(target)
    try:
        with _transaction(engine, _WRITE) as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            migrate(connection)
    except SQLAlchemyError as fault:
        engine.dispose()
        said = first_line(fault)
        raise UsageError(f"The history {_shown(target)} cannot be opened: {said}", remedy(said)) from fault
    except UsageError:
        engine.dispose()
        raise
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One transaction: every query inside sees the same history. UsageError when the database cannot be read."""
    with telling(engine, "read"), _transaction(engine, "BEGIN") as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction, committed when the block ends, undone when it raises; UsageError when the database cannot be
    written. SQLite takes its write lock at once: a transaction that starts by reading and then writes would fail, not
    wait, when another writer got in between."""
    with telling(engine, "written"), _transaction(engine, _WRITE) as connection:
        yield connection


@contextmanager
def _transaction(engine: Engine, begin: str) -> Iterator[Connection]:
    with engine.connect().execution_options(triage_begin=begin) as connection, connection.begin():
        yield connection


def _engine(target: str) -> Engine:
    try:
        url = _url_of(target)
        if url.drivername in {"postgresql", "postgres"}:
            url = url.set(drivername="postgresql+psycopg")
        kind = url.get_backend_name()
        if kind not in {"sqlite", "postgresql"}:
            raise UsageError(f"{_shown(target)} is no database that triage can use: {kind}.", REMEDY)
        if kind == "postgresql":
            return create_engine(url)
        if url.database:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        return _sqlite(create_engine(url, connect_args={"timeout": BUSY_SECONDS}))
    except (ArgumentError, NoSuchModuleError) as fault:
        raise UsageError(f"{_shown(target)} is no database that triage can use: {fault}", REMEDY) from fault
    except ImportError as fault:
        raise UsageError(f"{_shown(target)} needs a driver: {fault}.", "pip install 'psycopg[binary]'") from fault
    except OSError as fault:
        raise UsageError(f"The folder of {_shown(target)} cannot be made: {fault.strerror}.", REMEDY) from fault


def _url_of(target: str) -> URL:
    """What is no address is the path of an SQLite file."""
    return make_url(target if "://" in target else f"sqlite:///{target}")


def _sqlite(engine: Engine) -> Engine:
    """SQLAlchemy leaves transactions to us; the driver's own guesses at them are switched off."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("PRAGMA temp_store = MEMORY")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("triage_begin", "BEGIN"))

    return engine


def _write_ahead(connection: Any) -> None:
    """Changing the mode takes the whole file for a moment, and SQLite does not wait for that by itself."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _shown(target: str) -> str:
    """Without the password."""
    try:
        return make_url(target).render_as_string(hide_password=True) if "://" in target else target
    except ArgumentError:
        return "--db"


@dataclass(frozen=True, slots=True)
class History:
    """The history of one repository in an open database, closed at the end of a `with`. What reads and writes it are
    this package's functions."""

    engine: Engine
    repo: str

    @classmethod
    def open(cls, target: str, repo: str = "") -> History:
        """Begins a new one where there is none; without `repo`, the one repository that it holds."""
        of = repo or repository_in(target)
        return cls(open_database(target), of)

    @classmethod
    def existing(cls, target: str, repo: str = "") -> History:
        """As `open`; UsageError where there is none: a slip in a name must not begin a new one, nor read as empty."""
        _must_exist(target)
        return cls.open(target, repo)

    @classmethod
    @contextmanager
    def begun(cls, target: str, repo: str = "") -> Iterator[History]:
        """As `open`; a new one in whose block an error came before anything was recorded leaves no file behind."""
        file = _file_of(target)
        new = file is not None and not file.exists()
        history, empty = cls.open(target, repo), False
        try:
            yield history
        except BaseException:
            empty = new and _unused(history.engine)
            raise
        finally:
            history.close()
            # Only then: closing would write the file anew.
            if empty and file is not None:
                file.unlink(missing_ok=True)

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reading(self) -> AbstractContextManager[Connection]:
        return reading(self.engine)

    def writing(self) -> AbstractContextManager[Connection]:
        return writing(self.engine)

    def close(self) -> None:
        """SQLite folds its write-ahead log into the one file when the last connection goes; before that it samples its
        indexes where they have changed, for the planner (PostgreSQL does so by itself). A database that cannot be
        written, or is busy, is closed without: what was wanted of it is done."""
        if self.engine.dialect.name == "sqlite":
            with suppress(SQLAlchemyError), _transaction(self.engine, _WRITE) as connection:
                connection.exec_driver_sql("PRAGMA analysis_limit = 1000")
                connection.exec_driver_sql("PRAGMA optimize")
        self.engine.dispose()


def repository_in(target: str) -> str:
    """The one repository that a history holds; UsageError when it holds none or several: then one must be named."""
    _must_exist(target)
    engine = open_database(target)
    try:
        with reading(engine) as connection:
            found = connection.execute(text(_HELD)).scalars().all()
    finally:
        engine.dispose()
    if len(found) == 1:
        return str(found[0])
    holds = "several repositories" if found else "no repository yet"
    raise UsageError(f"The history {_shown(target)} holds {holds}.", "Add --repo OWNER/NAME.")


def _must_exist(target: str) -> None:
    if "://" not in target and not Path(target).exists():
        raise UsageError(f"There is no history in {target}.", "Run `triage history sync` first, or name it with --db.")


def _file_of(target: str) -> Path | None:
    """The file that an SQLite history lies in; None where it is no file."""
    try:
        url = _url_of(target)
    except ArgumentError:
        return None
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _unused(engine: Engine) -> bool:
    """Whether nothing was recorded and nobody else has it open: only who is alone can leave the write-ahead log."""
    try:
        with _transaction(engine, "BEGIN") as connection:
            if any(connection.execute(text(f"SELECT 1 FROM {name} LIMIT 1")).first() for name in _RECORDS):
                return False
        # The mode cannot change inside the transaction that SQLAlchemy begins.
        with closing(engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
            return bool(cursor.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete")
    except (SQLAlchemyError, sqlite3.Error):
        return False


def upsert(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], newer: str | None = None
) -> None:
    """Insert rows, or replace those with the same key; with `newer`, only if that column did not go back in time."""
    if rows:
        connection.execute(_upserting(connection.dialect.name, table, newer), list(rows))


@lru_cache(maxsize=64)
def _upserting(dialect: str, table: Table, newer: str | None) -> Executable:
    """Made once: a sync writes thousands of times, a few rows each."""
    statement = (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)
    keys = [column.name for column in table.primary_key]
    changed = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    where = None if newer is None else statement.excluded[newer] >= table.c[newer]
    return statement.on_conflict_do_update(index_elements=keys, set_=changed, where=where)
