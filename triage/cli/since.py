"""Spans of time and databases, as people type them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from triage.errors import UsageError

DbOption = Annotated[
    str,
    typer.Option(
        "--db", envvar="TRIAGE_DB", metavar="FILE|URL", help="The history: an SQLite file or a database's URL."
    ),
]
DEFAULT_DB = "triage-history.db"
_SPAN = re.compile(r"([0-9]{1,4})([dw])")
# Before it there is no GitHub, and after it a sum with a span leaves what a datetime can hold.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def since(text: str, now: datetime) -> datetime:
    """`7d`, `4w`, or a date `2026-11-01` (its midnight in UTC). UsageError for anything else, or for the future."""
    found = _SPAN.fullmatch(text.strip())
    if found:
        days = int(found[1]) * (7 if found[2] == "w" else 1)
        if days and (start := now - timedelta(days=days)).year >= _FIRST_YEAR:
            return start
    moment = moment_of(text)
    if moment is None:
        raise UsageError(f"--since {text!r} is no span of time.", "Write 7d, 4w, or a date: 2026-11-01.")
    if moment >= now:
        raise UsageError(f"--since {text} lies in the future.", "Name a day in the past.")
    return moment


def moment_of(text: str) -> datetime | None:
    """A date or a time as people type it, in UTC unless it names its offset; None for what is none, or none that a
    history can hold."""
    try:
        found = datetime.fromisoformat(text.strip())
        moment = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
