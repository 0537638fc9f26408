"""Sections and options of an INI file (setup.cfg, tox.ini, .coveragerc), with the bytes where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(rb"(?m)^\[([^\]\n]+)\][ \t]*(?:[#;][^\n]*)?\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below a header, at bytes `start`..`end`."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Option:
    """An option's lines, its own first: bytes `start`..`end`, the last line's end included; `value` begins at `at`."""

    at: int
    start: int
    end: int


def section_of(data: bytes, *names: str) -> Section | None:
    """The one section of the first of these names; None where it is not there, or stands twice."""
    headers = list(_HEADER.finditer(data))
    for name in names:
        found = [at for at, one in enumerate(headers) if one[1].decode("utf-8", "replace") == name]
        if len(found) == 1:
            following = headers[found[0] + 1 : found[0] + 2]
            return Section(name, headers[found[0]].end(), following[0].start() if following else len(data))
    return None


def option_of(data: bytes, section: Section, name: str) -> Option | None:
    """The option with the lines that continue it, which are indented; None where it is not there just once."""
    whole = re.compile(
        rb"(?m)^"
        + re.escape(name.encode())
        + rb"[ \t]*[=:][ \t]*(?P<value>)[^\n]*(?:\n|\Z)(?:[ \t]+[^\s][^\n]*(?:\n|\Z))*"
    )
    found = list(whole.finditer(data, section.start, section.end))
    return Option(found[0].start("value"), *found[0].span()) if len(found) == 1 else None
