"""What a database says when it cannot be used, in our words and with a remedy: no fault of it is a bug of triage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError, DBAPIError, SQLAlchemyError

from triage.errors import UsageError

REMEDY = "Give --db a file that triage made (or a new one), or a PostgreSQL URL that can be reached."
# By what SQLite says, in lower case.
_REMEDIES = (
    (("locked", "busy"), "Another process uses it: try again when that is done."),
    (("disk is full", "disk i/o"), "Make room on its disk and try again: what was recorded before is kept."),
    (("unable to open",), "Is it a file that you may read, in a folder that you may write?"),
    (("readonly", "read-only"), "Copy it to where you may write, and name the copy with --db."),
    (
        ("malformed", "no such table", "no such column", "corrupt"),
        "It is damaged: put back a copy, or collect a new one with `triage history sync`.",
    ),
    (("constraint", "too large", "out of range"), "Does what is to be written come from a triage of this version?"),
)
# What Python's driver says of a whole number that no column holds.
_TOO_LARGE = "too large to convert to SQLite"


@contextmanager
def telling(engine: Engine, what: str) -> Iterator[None]:
    """`what`: "read" or "written". A database's own faults become UsageError; what is wrong with a statement of ours,
    before any database sees it, stays what it is."""
    try:
        yield
    except (DBAPIError, OverflowError, OSError) as fault:
        said = _said(fault)
        if said is None:
            raise
        name = engine.url.database if engine.dialect.name == "sqlite" else engine.url.render_as_string()
        raise UsageError(f"The history {name} cannot be {what}: {said}.", remedy(said)) from fault


def _said(fault: Exception) -> str | None:
    # pandas wraps a database's fault in an OSError of its own.
    for found in (fault, fault.__cause__):
        if isinstance(found, DBAPIError):
            return first_line(found)
    return str(fault) if isinstance(fault, OverflowError) and _TOO_LARGE in str(fault) else None


def first_line(fault: SQLAlchemyError) -> str:
    cause = fault.orig if isinstance(fault, DatabaseError) and fault.orig is not None else fault
    return str(cause).strip().partition("\n")[0]


def remedy(said: str) -> str:
    lowered = said.lower()
    return next((put_right for words, put_right in _REMEDIES if any(word in lowered for word in words)), REMEDY)
