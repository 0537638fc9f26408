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
_SPAN = re.compile(r"(\d{1,4})([dw])")


def since(text: str, now: datetime) -> datetime:
    """`7d`, `4w`, or a date `2026-11-01` (its midnight in UTC). UsageError for anything else, or for the future."""
    found = _SPAN.fullmatch(text.strip())
    if found:
        days = int(found[1]) * (7 if found[2] == "w" else 1)
        if days:
            return now - timedelta(days=days)
    try:
        moment = datetime.fromisoformat(text.strip()).replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(f"--since {text!r} is no span of time.", "Write 7d, 4w, or a date: 2026-11-01.") from None
    if moment >= now:
        raise UsageError(f"--since {text} lies in the future.", "Name a day in the past.")
    return moment
