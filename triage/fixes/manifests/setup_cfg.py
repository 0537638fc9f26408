"""Requirements of setup.cfg: `install_requires` and the extras, one a line, checked against `configparser`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.manifests.ini import lines, read_ini
from triage.fixes.refusal import Refusal

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
    parser = read_ini(data)
    if isinstance(parser, Refusal):
        return parser
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
    for one in lines(data):
        if _holds(one.section, one.option):
            extra = one.option if one.section == _EXTRAS else ""
            yield one.section, one.option, Line(extra, one.text, one.start, one.end)


def _holds(section: str, option: str) -> bool:
    return (section, option) == _BASE or (section == _EXTRAS and option != "")
