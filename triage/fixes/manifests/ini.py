"""Sections and options of an INI file (setup.cfg, tox.ini, .coveragerc), with the bytes where they stand."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.refusal import Refusal

_SECTION = re.compile(rb"\[([^\]\n]+)\]")
_OPTION = re.compile(rb"([^\s=:#;\[][^=:\n]*?)[ \t]*[=:][ \t]*")

_CONTINUED = rb"(?:(?:[ \t]*(?:[#;][^\n]*)?\r?\n)*[ \t]+[^\s][^\n]*(?:\n|\Z))*"
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


@dataclass(frozen=True, slots=True)
class Held:
    """One line of an option's value, without the blanks around it, at bytes `start`..`end`. `inline`: it stands behind
    the option's name. Names of options are small, as `configparser` has them."""

    section: str
    option: str
    text: str
    start: int
    end: int
    inline: bool


def read_ini(data: bytes) -> configparser.RawConfigParser | Refusal:
    """As `configparser` reads it: what `lines` finds is checked against it."""
    parser = configparser.RawConfigParser(strict=True)
    try:
        parser.read_string(data.decode())
    except (configparser.Error, UnicodeDecodeError) as error:
        return Refusal(f"is no configuration file: {error}")
    return parser


def lines(data: bytes) -> Iterator[Held]:
    """Every line of every option's value that is no comment and not blank, and the empty one behind a bare name."""
    section, option, offset = "", "", 0
    for raw in data.split(b"\n"):
        text = raw.strip()
        indented = raw[:1] in (b" ", b"\t")
        if text and not text.startswith((b"#", b";")):
            at = len(raw) - len(raw.lstrip())
            header, named = _SECTION.match(raw), _OPTION.match(raw)
            if header:
                section, option = header[1].decode(), ""
            elif named and not indented:
                option, at = named[1].decode().lower(), named.end()
            held = raw[at:].rstrip()
            if option:
                yield Held(section, option, held.decode(), offset + at, offset + at + len(held), inline=not indented)
        offset += len(raw) + 1


def section_of(data: bytes, *names: str) -> Section | None:
    """The one section of the first of these names; None where it is not there, or stands twice."""
    headers = list(_HEADER.finditer(data))
    for name in names:
        found = [at for at, one in enumerate(headers) if one[1].decode("utf-8", "replace") == name]
        if len(found) == 1:
            following = headers[found[0] + 1 : found[0] + 2]
            return Section(name, headers[found[0]].end(), following[0].start() if following else len(data))
    return None


def option_of(data: bytes, section: Section, name: str, *, any_case: bool = False) -> Option | None:
    """The option with the lines that continue it, which are indented, and may have remarks and empty lines between
    them; None where it is not there just once. `any_case`: as `configparser` has the names; pytest's reader has not."""
    own = re.escape(name.encode()) + rb"[ \t]*[=:][ \t]*(?P<value>)[^\n]*(?:\n|\Z)"
    whole = re.compile(rb"(?m)^" + own + _CONTINUED, re.I if any_case else 0)
    return _only(whole, data, section)


def entry_of(data: bytes, section: Section, name: str) -> Option | None:
    """The same of a TOML file's table: the key's own line, which may be indented and the key quoted."""
    own = rb"[\"']?" + re.escape(name.encode()) + rb"[\"']?"
    return _only(re.compile(rb"(?m)^[ \t]*" + own + rb"[ \t]*=[ \t]*(?P<value>)[^\n]*(?:\n|\Z)"), data, section)


def _only(whole: re.Pattern[bytes], data: bytes, section: Section) -> Option | None:
    found = list(whole.finditer(data, section.start, section.end))
    return Option(found[0].start("value"), *found[0].span()) if len(found) == 1 else None
