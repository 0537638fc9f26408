import errno
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import text

from tests.histories import MONDAY, OOM, opened, outcome
from triage.errors import UsageError
from triage.model.outcome import FixRecord, FixState, Outcome, RunAttempt
from triage.model.run import Run
from triage.storage import exchange
from triage.storage.database import History
from triage.storage.ledger import all_fixes, put_fixes
from triage.storage.listing import record
from triage.storage.outcomes import outcome as stored
from triage.storage.outcomes import put

ODD = 'quote " comma, line\nbreak, =formula, NA, null, 007, ünïcode'


def fill(history: History) -> list[Outcome]:
    rows = [
        outcome(1, "failure", causes=(OOM,), step=ODD, unexplained="NA", author="null", branch="007"),
        outcome(2, "cancelled", run=2, started_at=None, created_at=None, runner=""),
    ]
    put(history, rows, [RunAttempt(history.repo, 1, 1, "e2e", "main", True, "failure", MONDAY)])
    put_fixes(history, [FixRecord(history.repo, "f", "gpu-oom", ODD, "w.yml", "ppo", FixState.PROPOSED, MONDAY)])
    record(
        history,
        [Run(1, 1, history.repo, "e2e", "w.yml", "push", "completed", "failure", "0" * 40, "main", created_at=MONDAY)],
    )
    return rows


def dump(history: History) -> list[object]:
    with history.reading() as connection:
        return [
            [tuple(row) for row in connection.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2, 3"))]
            for table in ("job_attempts", "causes", "run_attempts", "runs", "windows", "fixes")
        ]


@pytest.mark.parametrize("form", exchange.FORMATS)
def test_what_is_exported_comes_back_whole_and_may_come_back_twice(history: History, tmp_path: Path, form: str) -> None:
    rows = fill(history)
    files = exchange.export(history, tmp_path / "out", form)
    assert {path.suffix for path in files} == {f".{form}"}
    with opened(str(tmp_path / "other.db")) as other:
        for _ in range(2):
            exchange.bring_in(other, tmp_path / "out", form)
        assert dump(other) == dump(history)
        assert [stored(other, row.job_id) for row in rows] == rows
        assert all_fixes(other) == all_fixes(history)


def test_a_missing_file_and_another_repository_are_refused(history: History, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is missing"):
        exchange.bring_in(history, tmp_path, "csv")
    fill(history)
    exchange.export(history, tmp_path, "csv")
    with (
        opened(str(tmp_path / "other.db"), "someone/else") as other,
        pytest.raises(UsageError, match="holds example/train"),
    ):
        exchange.bring_in(other, tmp_path, "csv")


def test_columns_of_another_version_are_named(history: History, tmp_path: Path) -> None:
    fill(history)
    exchange.export(history, tmp_path, "csv")
    file = tmp_path / "fixes.csv"
    file.write_text(file.read_text().replace("expires", "ends", 1))
    with pytest.raises(UsageError, match="ends, expires"):
        exchange.bring_in(history, tmp_path, "csv")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("completed", odd) for odd in ("", "soon", "1.5", "9" * 30, "9223372036854775807", "-5")),
        ("day", "99999999"),
        ("job_id", ""),
        ("log", "lost"),
    ],
)
def test_a_value_that_triage_does_not_write_is_refused_and_nothing_is_taken_in(
    history: History, tmp_path: Path, column: str, value: str
) -> None:
    fill(history)
    exchange.export(history, tmp_path, "csv")
    # The last table that is read, so that others were taken in before.
    path = tmp_path / "job_attempts.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[1, column] = value
    frame.to_csv(path, index=False)
    with opened(str(tmp_path / "other.db")) as other:
        with pytest.raises(UsageError) as told:
            exchange.bring_in(other, tmp_path, "csv")
        assert "\n" not in told.value.message
        assert told.value.remedy
        assert not any(dump(other))


@pytest.mark.parametrize("cut", [3, 60, 200])
def test_a_file_that_ends_within_a_row_is_refused(history: History, tmp_path: Path, cut: int) -> None:
    put(history, [outcome(number, url=f"https://github.example/runs/{number}") for number in range(1, 9)])
    exchange.export(history, tmp_path, "csv")
    path = tmp_path / "job_attempts.csv"
    path.write_bytes(path.read_bytes()[:-cut])
    with (
        opened(str(tmp_path / "other.db")) as other,
        pytest.raises(UsageError, match=r"job_attempts\.csv cannot be read: it ends within a row"),
    ):
        exchange.bring_in(other, tmp_path, "csv")


def test_an_export_that_ends_early_leaves_the_one_before(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(history)
    files = exchange.export(history, tmp_path, "csv")
    before = [file.read_bytes() for file in files]
    put(history, [outcome(9)])

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("triage.storage.exchange._typed", full)
    with pytest.raises(OSError, match="No space"):
        exchange.export(history, tmp_path, "csv")
    assert [file.read_bytes() for file in files] == before
    assert set(files) == {path for path in tmp_path.iterdir() if not path.name.startswith("history.db")}


def test_an_unknown_format_is_refused(history: History, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csv, parquet"):
        exchange.export(history, tmp_path, "xml")
