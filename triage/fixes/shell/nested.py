"""A script that stands as one quoted word in another one (`bash -c '...'`): where its bytes stand in the file, and how
text is written there.

Each level of quotes is one sign: `'` or `"`. Only a word that is in quotes as a whole can be edited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from triage.fixes.evaluate.values import Piece, Site, SiteKind, Value
from triage.fixes.refusal import Refusal

# The quote, and continued lines, before the first byte.
_OPENS = re.compile(rb"([\"'])(?:\\\r?\n[ \t]*)*\Z")
_CONTINUED = re.compile(rb"\\\r?\n[ \t]*")
_SHOWN = 300
# Of words, and of heredocs: `<` for one in which nothing expands.
HEREDOCS = ("<", "<<")
_QUOTES = ("'", '"', *HEREDOCS)
_DOUBLE = re.compile(r'[\\$"`]')
# A word in single quotes that says the same in double ones.
_PLAIN_QUOTED = re.compile(r"'([^'\"$`\\!]*)'")

Spans = list[tuple[int, int]]


def written(text: str, nested: tuple[str, ...]) -> str | Refusal:
    """Shell text of the innermost script as it is written in the file, `nested` being its quotes, innermost first."""
    if "'" in nested and "'" in text and '"' not in text:
        text = _PLAIN_QUOTED.sub(r'"\1"', text)
    for quote in nested:
        if quote == '"':
            text = _DOUBLE.sub(lambda found: f"\\{found[0]}", text)
        elif (quote == "'" and "'" in text) or (quote == "<<" and re.search(r"[\\$`]", text)):
            return Refusal("the text holds what the quotes around it give a meaning to")
    return text


@dataclass(frozen=True, slots=True)
class Standing:
    """A word's text as it stands in a file: for each piece its bytes' spans, or one span of what expands to it.
    `nested` are the quotes around it, innermost first."""

    runs: tuple[Spans, ...]
    own: tuple[bool, ...]
    nested: tuple[str, ...]


def standing(source: bytes, path: str, value: Value) -> Standing | None:
    """None where the word's text is not in the file as one quoted text: then it can be read, and not edited."""
    runs = [_own(source, path, piece) for piece in value.pieces]
    sites = [piece.site for piece, run in zip(value.pieces, runs, strict=True) if run and piece.site is not None]
    quotes, nested = {site.quote for site in sites}, {site.nested for site in sites}
    quote = next(iter(quotes)) if len(quotes) == 1 else '"' if '"' in quotes and quotes <= {'"', "\\"} else ""
    quote = quote if quote in _QUOTES else ""
    filled = _filled(source, value.pieces, runs, quote) if quote and len(nested) == 1 else None
    if filled is None:
        return None
    return Standing(tuple(filled), tuple(bool(run) for run in runs), (quote, *nested.pop()))


def _own(source: bytes, path: str, piece: Piece) -> Spans:
    """The spans of a piece's bytes; none for one that is not written in the word itself."""
    site = piece.site
    if site is None or not piece.text or site.path != path or site.kind is not SiteKind.LITERAL:
        return []
    held, encoded = source[site.start : site.end], piece.text.encode()
    if held == encoded:
        return [(at, at + 1) for at in range(site.start, site.end)]
    if site.quote == "\\" and held == b"\\" + encoded and len(encoded) == 1:
        return [(site.start, site.end)]
    return _lines(held, encoded, site)


def _lines(held: bytes, encoded: bytes, site: Site) -> Spans:
    """Lines of a block of YAML, whose indentation is not part of the text."""
    outer, inner = held.split(b"\n"), encoded.split(b"\n")
    if len(outer) != len(inner) or outer[0] != inner[0]:
        return []
    spans, at = [], site.start
    for index, (line, text) in enumerate(zip(outer, inner, strict=True)):
        if not line.endswith(text) or line[: len(line) - len(text)].strip(b" "):
            return []
        first = at + len(line) - len(text)
        if index:
            spans.append((at - 1, first))  # the line end before, with the indentation behind it
        spans += [(each, each + 1) for each in range(first, first + len(text))]
        at += len(line) + 1
    return spans


def _filled(source: bytes, pieces: tuple[Piece, ...], runs: list[Spans], quote: str) -> list[Spans] | None:
    """The runs, with the span of what expands to the pieces between them; None where the quotes end in between."""
    filled: list[Spans] = []
    before, gap = -1, False
    for at, (piece, run) in enumerate(zip(pieces, runs, strict=True)):
        if run:
            start = run[0][0]
            if before < 0 and not _opens(source, start, quote):
                return None
            if before >= 0 and before != start and not _CONTINUED.fullmatch(source[before:start]):
                return None
            filled.append(run)
            before, gap = run[-1][1], False
            continue
        if not gap:  # several pieces may come of one expansion
            following = next((each[0][0] for each in runs[at + 1 :] if each), -1)
            found = _gap(source, piece, before, following, quote)
            if found is None:
                return None
            span, before, gap = found, found[1], True
        filled.append([span])
    behind = source[before : before + _SHOWN]
    behind = behind.lstrip(b" ") if source[before - 1 : before] == b"\n" else behind
    return filled if before >= 0 and (quote in HEREDOCS or behind.startswith(quote.encode())) else None


def _opens(source: bytes, start: int, quote: str) -> bool:
    if quote in HEREDOCS:
        return not source[source.rfind(b"\n", 0, start) + 1 : start].strip(b" ")
    found = _OPENS.search(source[max(start - _SHOWN, 0) : start])
    return found is not None and found[1] == quote.encode()


def _gap(source: bytes, piece: Piece, before: int, following: int, quote: str) -> tuple[int, int] | None:
    """The expansion between two runs of the word's own text, which stands inside the same quotes."""
    if before < 0 or following < 0:
        sites = [one for one in (*piece.via, piece.site) if one is not None]
        near = [one for one in sites if one.start == before] if before >= 0 else []
        near += [one for one in sites if before < 0 and one.end == following and _opens(source, one.start, quote)]
        if not near:
            return None
        before, following = near[0].start, near[0].end
    text = source[before:following]
    if not text.startswith((b"$", b"`")) or text.endswith((b"'", b'"')):
        return None
    return before, following
