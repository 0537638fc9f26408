"""Untrusted text made fit to show: nothing in it can move the cursor, reorder, hide or overwrite what we print."""

from __future__ import annotations

import json
import unicodedata
from functools import lru_cache

# Unicode's format characters (Cf) reorder or hide text: bidi overrides and isolates, zero-width characters, tags.
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def plain(text: str) -> str:
    """The text without control, format and private characters; a tab becomes one blank."""
    if text.isprintable():  # holds no separators but blanks, and none of what is dropped
        return text
    return "".join(map(_kept, text))


@lru_cache(maxsize=4096)
def _kept(character: str) -> str:
    if character == "\t":
        return " "
    return "" if unicodedata.category(character) in _DROPPED_CATEGORIES else character


def json_text(document: object) -> str:
    """JSON, indented, that a terminal and an encoder take as it is: what `plain` drops is written as an escape."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return "\n".join(line if line.isprintable() else "".join(map(_escaped, line)) for line in text.split("\n"))


def _escaped(character: str) -> str:
    return character if _kept(character) else json.dumps(character)[1:-1]


def shorten(text: str, width: int, keep: int = 0) -> str:
    """At most `width` characters, an ellipsis where something was cut, and the column `keep` still in view."""
    if len(text) <= width:
        return text
    start = 0 if keep < width - 8 else min(keep - width // 3, len(text) - width + 1)
    cut = text[start : start + width - (2 if start else 1)]
    left = "…" if start else ""
    right = "…" if start + len(cut) < len(text) else ""
    return f"{left}{cut}{right}"


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
