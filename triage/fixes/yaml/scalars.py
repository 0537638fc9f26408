"""Where every character of a scalar stands in the source: decoded again here, per style, and verified.

A map exists only when this decoding equals YAML's own; so an edit found in the decoded text can be made in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument

# A decoded character with the source characters it stands for: start and end.
Mapped = tuple[str, int, int]

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class ScalarMap:
    """`starts[i]`..`ends[i]` are the source bytes of decoded character `i`; `text` is the decoded value."""

    path: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    style: str
    # The bytes that the whole scalar takes, quotes and block header included.
    start: int
    end: int


def map_scalar(document: YamlDocument, node: yaml.ScalarNode) -> ScalarMap | Refusal:
    """Refused when the two decodings differ, which would make every offset doubtful."""
    mapped = _decode(document.text, node)
    if mapped is None:
        return Refusal("this scalar's text cannot be traced to its source", document.path, document.line(node))
    byte = document.byte
    starts = tuple(byte(start) for _, start, _ in mapped)
    ends = tuple(byte(end) for _, _, end in mapped)
    return ScalarMap(
        document.path, node.value, starts, ends, node.style or "", document.start(node), byte(node.end_mark.index)
    )


def _decode(text: str, node: yaml.ScalarNode) -> list[Mapped] | None:
    start, end, value = node.start_mark.index, node.end_mark.index, node.value
    if node.style in ("|", ">"):
        return _block(text, start, end, value, folded=node.style == ">")
    if node.style == '"':
        mapped = list(_flow(text, start + 1, end - 1, escapes=True))
    elif node.style == "'":
        mapped = list(_flow(text, start + 1, end - 1, doubled="'"))
    else:
        mapped = list(_flow(text, start, end))
    return mapped if "".join(char for char, _, _ in mapped) == value else None


def _flow(text: str, at: int, end: int, *, escapes: bool = False, doubled: str = "") -> Iterator[Mapped]:
    """Plain and quoted styles: one break folds to a blank, further ones stay; blanks around breaks are dropped."""
    pending: list[Mapped] = []
    while at < end:
        char = text[at]
        if char in _BLANKS:
            pending.append((char, at, at + 1))
            at += 1
        elif char in "\r\n":
            breaks, at = _breaks(text, at, end)
            first = breaks[0]
            yield from [("\n", one, other) for one, other in breaks[1:]] or [(" ", *first)]
            pending = []
        elif escapes and char == "\\":
            yield from pending
            pending = []
            mapped, at = _escape(text, at, end)
            yield from mapped
        else:
            yield from pending
            pending = []
            size = 2 if doubled and text[at : at + 2] == doubled * 2 else 1
            yield char, at, at + size
            at += size
    yield from pending


def _breaks(text: str, at: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """Consecutive line breaks from `at`, blanks between and after them skipped; and where the next content starts."""
    found = []
    while at < end and text[at] in "\r\n \t":
        if text[at] in _BLANKS:
            at += 1
            continue
        size = 2 if text[at : at + 2] == "\r\n" else 1
        found.append((at, at + size))
        at += size
    return found, at


def _escape(text: str, at: int, end: int) -> tuple[list[Mapped], int]:
    code = text[at + 1 : at + 2]
    if code in _HEX:
        stop = at + 2 + _HEX[code]
        return [(_character(text[at + 2 : stop]), at, stop)], stop
    if code and code in "\r\n":
        breaks, after = _breaks(text, at + 1, end)
        return [("\n", one, other) for one, other in breaks[1:]], after
    return [(_ESCAPES.get(code, code), at, at + 2)], at + 2


def _character(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except (ValueError, OverflowError):
        return "\N{REPLACEMENT CHARACTER}"


def _block(text: str, start: int, end: int, value: str, *, folded: bool) -> list[Mapped] | None:
    """Literal and folded blocks. The indentation is not in the marks: the one that decodes to `value` is right."""
    header = text.find("\n", start)
    if header < 0 or header + 1 > end:
        return [] if value == "" else None
    lines = list(_lines(text, header + 1, end))
    first = next((content for content, _, _ in lines if content.strip(" ")), "")
    widest = len(first) - len(first.lstrip(" "))
    for indent in range(widest, -1, -1):
        mapped = list(_folded(lines, indent) if folded else _literal(lines, indent))
        kept = mapped[: len(value)]
        if "".join(char for char, _, _ in kept) == value and all(char == "\n" for char, _, _ in mapped[len(value) :]):
            return kept
    return None


def _lines(text: str, at: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Content, its first character and the character after the line's break."""
    while at < end:
        stop = text.find("\n", at, end)
        after = end if stop < 0 else stop + 1
        content = text[at : after if stop < 0 else stop]
        yield content.removesuffix("\r") if stop >= 0 else content, at, after
        at = after


def _literal(lines: list[tuple[str, int, int]], indent: int) -> Iterator[Mapped]:
    for content, at, after in lines:
        for offset in range(indent, len(content)):
            yield content[offset], at + offset, at + offset + 1
        if after > at + len(content):
            yield "\n", at + len(content), after


def _folded(lines: list[tuple[str, int, int]], indent: int) -> Iterator[Mapped]:
    """A break between two lines that start at the indentation becomes a blank; beside deeper lines it stays."""
    breaks: list[tuple[int, int]] = []
    flush = False
    for content, at, after in lines:
        body = content[indent:]
        if body:
            fold = flush and bool(breaks) and body[0] not in _BLANKS
            if fold and len(breaks) == 1:
                yield " ", *breaks[0]
            else:
                yield from [("\n", one, other) for one, other in breaks[1 if fold else 0 :]]
            breaks, flush = [], body[0] not in _BLANKS
            for offset in range(indent, len(content)):
                yield content[offset], at + offset, at + offset + 1
        if after > at + len(content):
            breaks.append((at + len(content), after))
    yield from [("\n", one, other) for one, other in breaks]
