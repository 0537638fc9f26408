"""Requirements of setup.cfg: `install_requires` and the extras, one a line, checked against `configparser`."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.refusal import Refusal

_SECTION = re.compile(rb"\[([^\]\n]+)\]")
_OPTION = re.compile(rb"([^\s=:#;\[][^=:\n]*?)[ \t]*[=:][ \t]*")
_BASE = ("options", "install_requires")
_EXTRAS = "options.extras_require"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an option's value, at bytes `start`..`end`. `extra` is "" for what is always installed."""

    extra: str
    text: str
    start: int
    end: int


def requirement_lines(data: bytes) -> tuple[Line, ...] | Refusal:
    parser = configparser.RawConfigParser(strict=True)
    try:
        parser.read_string(data.decode())
    except (configparser.Error, UnicodeDecodeError) as error:
        return Refusal(f"is no configuration file: {error}")
    found = list(_lines(data))
    kept: dict[tuple[str, str], list[str]] = {}
    for section, option, line in found:
        kept.setdefault((section, option), []).append(line.text)
    for (section, option), texts in kept.items():
        if not parser.has_option(section, option) or parser.get(section, option).split("\n") != texts:
            first = [text for text in parser.get(section, option, fallback="").split("\n") if text]
            if first != [text for text in texts if text]:
                return Refusal(f"is laid out in a way that is not understood ({option})")
    return tuple(line for _, _, line in found if line.text)


def _lines(data: bytes) -> Iterator[tuple[str, str, Line]]:
    """Lines of the options that hold requirements, with their section and option."""
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
            if _holds(section, option) and not header:
                extra = option if section == _EXTRAS else ""
                yield section, option, Line(extra, held.decode(), offset + at, offset + at + len(held))
        offset += len(raw) + 1


def _holds(section: str, option: str) -> bool:
    return (section, option) == _BASE or (section == _EXTRAS and option != "")
