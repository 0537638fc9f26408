"""The history as files, one per table, in CSV or Parquet: to look at, to keep, to move to another database."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Integer, Table, select

from triage.errors import UsageError
from triage.storage.database import History, upsert
from triage.storage.schema import metadata

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("csv", "parquet")
_CHUNK = 50_000


def export(history: History, folder: Path, form: str) -> tuple[Path, ...]:
    """Write every table's rows of this repository to `folder`/<table>.<form>; returns the files.

    Raises UsageError for an unknown form, or for Parquet without pyarrow.
    """
    _check(form)
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(
        _export_table(history, table, folder / f"{table.name}.{form}", form) for table in metadata.sorted_tables
    )


def _export_table(history: History, table: Table, path: Path, form: str) -> Path:
    import pandas as pd

    with history.reading() as connection:
        query = select(table).where(table.c.repo == history.repo).order_by(*table.primary_key)
        if form == "csv":
            columns = [column.name for column in table.columns]
            pd.DataFrame(columns=columns).to_csv(path, index=False)
            for chunk in pd.read_sql(query, connection, chunksize=_CHUNK):
                _typed(chunk, table).to_csv(path, index=False, header=False, mode="a")
        else:
            _typed(pd.read_sql(query, connection), table).to_parquet(path, index=False)
    return path


def bring_in(history: History, folder: Path, form: str) -> int:
    """Upsert what `export` wrote; returns the number of rows. May be repeated.

    Raises UsageError when a file is missing, is not of this form, or holds another repository or other columns.
    """
    _check(form)
    count = 0
    for table in metadata.sorted_tables:
        for frame in _read(folder / f"{table.name}.{form}", table, form):
            _check_frame(frame, table, history, folder)
            rows = [_plain(row, table) for row in frame.to_dict("records")]
            with history.writing() as connection:
                upsert(connection, table, rows)
            count += len(rows)
    return count


def _read(path: Path, table: Table, form: str) -> Iterator[pd.DataFrame]:
    import pandas as pd

    try:
        if form == "csv":
            kinds = {c.name: "Int64" if _is_integer(table, c.name) else "str" for c in table.columns}
            yield from pd.read_csv(
                path, dtype=kinds, chunksize=_CHUNK, keep_default_na=False, na_values=_integer_gaps(table)
            )
        else:
            yield pd.read_parquet(path)
    except FileNotFoundError as fault:
        raise UsageError(f"{path} is missing.", "Give the folder that `triage history export` wrote.") from fault
    except (ValueError, OSError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}", "Export it again.") from fault


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
