"""A value of a TOML file written as the list, the text or the word that its program wants."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.document import line_end, line_start
from triage.fixes.manifests.ini import Section, entry_of, section_of
from triage.fixes.recipes.outcome import InPlace, Words
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

# What quotes may be put around, and what has them.
NUMBER = re.compile(rb"[+-]?[0-9][\w.:+-]*\Z|true\Z|false\Z|yes\Z|no\Z|on\Z|off\Z", re.I)
QUOTED = re.compile(rb"(?:\"[^\"\n]*\"|'[^'\n]*')\Z")

# The edits, and a line that they make.
MadeAs = tuple[tuple[Edit, ...], str] | Refusal | InPlace | Words


def in_toml(data: bytes, path: str, place: tuple[str, ...], kind: str, words: Sequence[str]) -> MadeAs:
    """`kind`: list, string or literal, of which `words` are the choices. Tables are found by their headers."""
    if kind == "literal":
        return _word(data, path, place, words)
    section, said = table_of(data, place[:-1]), Words(f"`{'.'.join(place)}` in {path} must be a {kind}")
    option = entry_of(data, section, place[-1]) if section is not None else None
    text = data[option.at : line_end(data, option.at)].strip() if option is not None else b""
    if option is None or not text:
        return said
    if text.startswith(b"[" if kind == "list" else (b'"', b"'")):
        return InPlace(f"{path} has a {kind} there")
    fits = QUOTED.match(text) if kind == "list" else NUMBER.match(text)
    if not fits:
        return said
    new = b"[" + text + b"]" if kind == "list" else b'"' + text + b'"'
    edit = Edit(path, option.at, option.at + len(text), new, f"the program takes a {kind}")
    return (edit,), (data[option.start : option.at] + new).decode("utf-8", "replace")


def table_of(data: bytes, place: tuple[str, ...]) -> Section | None:
    """A table by its header; what stands before the first one for the document's own keys."""
    if place:
        return section_of(data, ".".join(place))
    first = re.search(rb"(?m)^\[", data)
    return Section("", 0, first.start() if first else len(data))


def _word(data: bytes, path: str, place: tuple[str, ...], words: Sequence[str]) -> MadeAs:
    """A table of one entry, whose value is one of the words, becomes an entry of the table right above it."""
    own, above = section_of(data, ".".join(place)), table_of(data, place[:-1])
    lines = [one.strip() for one in data[own.start : own.end].split(b"\n") if one.strip()] if own is not None else []
    value = lines[0].partition(b"=")[2].strip() if len(lines) == 1 else b""
    fits = QUOTED.match(value) and value.decode("utf-8", "replace")[1:-1] in words
    header = line_start(data, own.start - 1) if own is not None else -1
    option = entry_of(data, above, place[-1]) if above is not None else None
    if own is None and option is not None and QUOTED.match(data[option.at : line_end(data, option.at)].strip()):
        return InPlace(f"{path} has a word there")
    if own is None or above is None or above.end != header or not fits:
        return Words(f"`{'.'.join(place)}` in {path} must be one of {', '.join(words)}")
    entry = place[-1].encode() + b" = " + value
    start = above.start + len(data[above.start : header].rstrip())
    rest = data[start : own.end]
    lead = b"" if start in (0, above.start) else b"\n"
    tail = rest[len(rest.rstrip()) :]
    edit = Edit(path, start, own.end, lead + entry + tail, "the program takes the word alone")
    return (edit,), entry.decode("utf-8", "replace")
