"""Single fields of GitHub's answers, whatever stands in them: the wrong type is a default, or an error of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]

_FIRST_YEAR, _LAST_YEAR = 1970, 9000
# What a database holds as a whole number.
_MOST = 2**63 - 1
_SHA = re.compile(r"[0-9A-Za-z]{1,64}")


def time(value: Any) -> datetime | None:
    """ISO 8601 with any offset, UTC without one; null and what no run can have (the runner's zero time, year 1) are
    None."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    # Beyond these years a sum with a span leaves what a datetime can hold.
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def text(value: Any) -> str:
    """Half a surrogate pair, which JSON can hold and UTF-8 cannot, becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def inner(source: Json, *keys: str) -> str:
    """A text inside nested objects, any of which may be null."""
    found: Any = source
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return text(found)


def word(value: Any) -> str | None:
    """A conclusion; None while there is none."""
    return text(value) or None


def words(value: Any) -> tuple[str, ...]:
    """What is no word is left out."""
    return tuple(filter(None, map(text, value))) if isinstance(value, list) else ()


def number(value: Any) -> int:
    """A count; 0 for what is none."""
    counts = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST
    return int(value) if counts else 0


def identity(value: Any) -> int:
    """ValueError for what is no number of anything."""
    if (found := number(value)) <= 0:
        raise ValueError(f"{value!r:.40} is no number of anything")
    return found


def sha(value: Any) -> str:
    """The name of a commit; "" for what is none: it becomes part of addresses and of file names."""
    found = text(value)
    return found if _SHA.fullmatch(found) else ""


def known_sha(value: Any) -> str:
    """The same; ValueError for what is none."""
    if not (found := sha(value)):
        raise ValueError(f"{value!r:.50} is no sha")
    return found


def objects(value: Any) -> tuple[Json, ...]:
    """The objects of a list; none for null. TypeError for anything else."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise TypeError(f"{value!r:.40} is no list of objects")
    return tuple(value)
