"""Rows of aggregates as pandas tables: the one place where pandas is told their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import pandas as pd

from triage.model.history import Period

Row = TypeVar("Row", bound=NamedTuple)


def table(kind: type[Row], rows: Sequence[Row]) -> pd.DataFrame:
    """Columns are the fields of `kind`, also when there are no rows."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in kind._fields)
    return pd.DataFrame(dict(zip(kind._fields, columns, strict=True)))


def within(frame: pd.DataFrame, period: Period) -> pd.DataFrame:
    return frame[frame["day"].between(period.first, period.last)]


def total(frame: pd.DataFrame, column: str) -> int:
    return int(frame[column].sum())


def sums(frame: pd.DataFrame, by: list[str], columns: list[str]) -> Mapping[tuple[str, ...], tuple[int, ...]]:
    """Sums of `columns` by the values of `by`, as plain Python values."""
    if frame.empty:
        return {}
    grouped = frame.groupby(by, sort=True)[columns].sum()
    keys = [key if isinstance(key, tuple) else (key,) for key in grouped.index]
    return {key: tuple(int(x) for x in row) for key, row in zip(keys, grouped.to_numpy().tolist(), strict=True)}


def members(frame: pd.DataFrame, by: list[str], column: str) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """The distinct values of `column` by the values of `by`, sorted."""
    pairs = frame[[*by, column]].drop_duplicates()
    found: dict[tuple[str, ...], list[str]] = {}
    for *key, value in pairs.itertuples(index=False):
        found.setdefault(tuple(key), []).append(value)
    return {key: tuple(sorted(values)) for key, values in found.items()}
