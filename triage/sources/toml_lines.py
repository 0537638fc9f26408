"""On which line a key of a TOML file stands: the parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Path = Sequence[str | int]
_NAME = r"[A-Za-z0-9_-]+"
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*\]")
_KEY = re.compile(rf"""\s*(?:({_NAME})|"({_NAME})"|'({_NAME})')\s*=""")


def line_of(text: str, path: Path) -> int:
    """The line of `path`, or of the nearest part of the file that holds it; 0 where that is not sure."""
    # Inside a text of several lines anything may look like a key.
    if '"""' in text or "'''" in text:
        return 0
    places = dict(_places(text))
    return next((places[found] for end in range(len(path), 0, -1) if (found := tuple(path[:end])) in places), 0)


def _places(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    table: tuple[str | int, ...] = ()
    entries: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if head := _TABLE.match(line):
            names = [name.strip() for name in head[2].split(".")]
            table = tuple(names)
            if head[1] == "[[":
                entries[head[2]] = entries.get(head[2], -1) + 1
                table = (*names, entries[head[2]])
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, key[1] or key[2] or key[3]), number
