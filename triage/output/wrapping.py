"""A long line in rows that fit: the rows, put together, are the line again, character by character."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells

# A word that is longer than this is broken: half-empty rows read worse.
_SLACK = 20


def rows(text: str, width: int) -> list[str]:
    """At most `width` columns each, broken before blanks where there are any within the last 20 columns."""
    found = []
    while cell_len(text) > width:
        at = _break(text, len(chop_cells(text, width)[0]))
        found.append(text[:at])
        text = text[at:]
    return [*found, text]


def _break(text: str, end: int) -> int:
    """Where a row of at most `end` characters ends; blanks go to the next row, as its end nobody could see them."""
    blank = text.rfind(" ", max(0, end - _SLACK), end + 1)
    return len(text[: max(blank, 0)].rstrip(" ")) or end
