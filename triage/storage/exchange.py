"""The history as files, one per table, in CSV or Parquet: to look at, to keep, to move to another database."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Connection, Integer, Table, select

from triage.errors import UsageError
from triage.model.outcome import FixState, LogState
from triage.storage.database import History, upsert
from triage.storage.schema import metadata

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("csv", "parquet")
_CHUNK = 50_000
_AGAIN = "Export it again."
# The end of the year 9000, in seconds and in days since 1970.
_SECONDS, _DAYS = 221_877_014_400, 2_568_021
_MOST = {
    **dict.fromkeys(("created", "started", "completed", "updated", "start", "stop", "listed_at"), _SECONDS),
    **dict.fromkeys(("proposed", "merged"), _SECONDS),
    **dict.fromkeys(("day", "expires"), _DAYS),
}
_WORDS = {"log": frozenset(LogState), "state": frozenset(FixState)}


def export(history: History, folder: Path, form: str) -> tuple[Path, ...]:
    """Write every table's rows of this repository, as of one moment, to `folder`/<table>.<form>; returns the files.
    What an earlier export left is replaced once all tables are written: a full disk leaves no half of a new one.

    Raises UsageError for an unknown form, or for Parquet without pyarrow.
    """
    _check(form)
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / f"{table.name}.{form}": table for table in metadata.sorted_tables}
    parts = {path: path.with_name(f"{path.name}.part") for path in written}
    try:
        with history.reading() as connection:
            for path, table in written.items():
                _export_table(connection, history.repo, table, parts[path], form)
        for path, part in parts.items():
            part.replace(path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    return tuple(written)


def _export_table(connection: Connection, repo: str, table: Table, path: Path, form: str) -> None:
    import pandas as pd

    query = select(table).where(table.c.repo == repo).order_by(*table.primary_key)
    if form == "csv":
        columns = [column.name for column in table.columns]
        pd.DataFrame(columns=columns).to_csv(path, index=False)
        for chunk in pd.read_sql(query, connection, chunksize=_CHUNK):
            _typed(chunk, table).to_csv(path, index=False, header=False, mode="a")
    else:
        _typed(pd.read_sql(query, connection), table).to_parquet(path, index=False)


def bring_in(history: History, folder: Path, form: str) -> int:
    """Upsert what `export` wrote, all of it or nothing; returns the number of rows. May be repeated.

    Raises UsageError when a file is missing, is not whole or not of this form, or holds another repository, other
    columns or values that triage does not write.
    """
    _check(form)
    count = 0
    with history.writing() as connection:
        for table in metadata.sorted_tables:
            path = folder / f"{table.name}.{form}"
            for frame in _read(path, table, form):
                _check_frame(frame, table, history, folder)
                rows = [_plain(row, table) for row in frame.to_dict("records")]
                _check_values(rows, path)
                upsert(connection, table, rows)
                count += len(rows)
    return count


def _read(path: Path, table: Table, form: str) -> Iterator[pd.DataFrame]:
    import pandas as pd

    try:
        if form == "csv":
            _require_end(path)
            kinds = {c.name: "Int64" if _is_integer(table, c.name) else "str" for c in table.columns}
            yield from pd.read_csv(
                path, dtype=kinds, chunksize=_CHUNK, keep_default_na=False, na_values=_integer_gaps(table)
            )
        else:
            yield pd.read_parquet(path)
    except FileNotFoundError as fault:
        raise UsageError(f"{path} is missing.", "Give the folder that `triage history export` wrote.") from fault
    except (ValueError, TypeError, OverflowError, OSError) as fault:
        said = str(fault).strip().partition("\n")[0]
        raise UsageError(f"{path} cannot be read: {said}", _AGAIN) from fault


def _require_end(path: Path) -> None:
    """Where a copy was cut inside a row, its last cells would pass for empty ones."""
    with path.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(stream.tell() - 1, 0))
        if stream.read() != b"\n":
            raise ValueError("it ends within a row.")


def _check_values(rows: list[dict[str, object]], path: Path) -> None:
    """What could not be read out again: times beyond all dates, words that stand for nothing."""
    for row in rows:
        for name, value in row.items():
            most = _MOST.get(name)
            odd = most is not None and isinstance(value, int) and not 0 <= value <= most
            if odd or (name in _WORDS and value not in _WORDS[name]):
                raise UsageError(f"{path} holds {value!r} as `{name}`, which triage does not write.", _AGAIN)


def _integer_gaps(table: Table) -> dict[str, list[str]]:
    """An empty cell is null in an integer column, and empty text in a text one."""
    return {column.name: [""] for column in table.columns if _is_integer(table, column.name)}


def _check_frame(frame: pd.DataFrame, table: Table, history: History, folder: Path) -> None:
    wanted = {column.name for column in table.columns}
    if set(frame.columns) != wanted:
        odd = sorted(wanted ^ set(frame.columns))
        raise UsageError(
            f"{folder}/{table.name} has other columns than this triage: {', '.join(odd)}.", "Upgrade both."
        )
    others = set(frame["repo"]) - {history.repo}
    if others:
        raise UsageError(f"{folder}/{table.name} holds {sorted(others)[0]}, not {history.repo}.", "Give its --repo.")


def _typed(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Integers with gaps stay integers: pandas would make floats of them."""
    return frame.astype({c.name: "Int64" for c in table.columns if _is_integer(table, c.name)})


def _plain(row: Mapping[Hashable, Any], table: Table) -> dict[str, object]:
    import pandas as pd

    def value(name: str) -> object:
        found = row[name]
        if _is_integer(table, name):
            return None if pd.isna(found) else int(found)
        return str(found)

    return {column.name: value(column.name) for column in table.columns}


def _is_integer(table: Table, name: str) -> bool:
    return isinstance(table.c[name].type, Integer | BigInteger)


def _check(form: str) -> None:
    if form not in FORMATS:
        raise UsageError(f"There is no format {form!r}.", f"One of: {', '.join(FORMATS)}.")
    if form == "parquet" and find_spec("pyarrow") is None:
        raise UsageError("Parquet needs pyarrow.", "pip install pyarrow, or use csv.")
