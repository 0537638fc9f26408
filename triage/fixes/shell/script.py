"""A script as the shell reads it, and where each of its bytes stands in a file.

A `run:` block is decoded YAML with its `${{ }}` already filled in, as the runner does it; what only GitHub knows is a
placeholder word of the same kind of characters, and stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.values import ONE_WORD, Condition, Piece, Site, SiteKind, Value, cut
from triage.fixes.refusal import Refusal
from triage.fixes.shell.nested import standing
from triage.fixes.workflow.expressions import Context, evaluate, expressions
from triage.fixes.yaml.nodes import YamlDocument
from triage.fixes.yaml.scalars import ScalarMap, map_scalar

_GOES_ON = re.compile(rb"((?:^|[^\\])(?:\\\\)*)\\\n[ \t]*\Z")
PLACEHOLDER = "TRIAGE_UNKNOWN_"


@dataclass(frozen=True, slots=True)
class Insert:
    """Bytes `start`..`end` of the script came from an expression or another value, not from its own text."""

    start: int
    end: int
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """`data` is what the shell reads. `starts`/`ends` are source offsets of its bytes; empty: they are the same.

    `dynamic`: the text was put together at run time, so nothing in it can be edited.
    """

    path: str
    data: bytes
    source: bytes
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    inserts: tuple[Insert, ...] = ()
    dynamic: bool = False
    # Where it is a word of another script: the quotes around it, innermost first.
    nested: tuple[str, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        """Of the whole text in its file."""
        return (self.starts[0], self.ends[-1]) if self.starts else (0, len(self.source))

    def start_of(self, offset: int) -> int:
        if not self.starts:
            return min(offset, len(self.source))
        return self.starts[offset] if offset < len(self.starts) else self.ends[-1]

    def end_of(self, offset: int) -> int:
        """Where the byte before `offset` ends in the source."""
        if not self.ends:
            return min(offset, len(self.source))
        return self.ends[offset - 1] if offset else self.starts[0]

    def line(self, offset: int) -> int:
        return line_of(self.source, self.start_of(offset))

    def site(
        self, start: int, end: int, kind: SiteKind, name: str, conditions: tuple[Condition, ...], quote: str = ""
    ) -> Site:
        first = self.start_of(start)
        last = self.end_of(end) if end > start else first
        kind = SiteKind.COMPUTED if self.dynamic else kind
        line = line_of(self.source, first)
        return Site(self.path, first, max(first, last), line, kind, name, conditions, quote, self.nested)

    def text(self, start: int, end: int) -> str:
        """For people: the source text, on one line."""
        return " ".join(self.data[start:end].decode("utf-8", "replace").split())

    def overlapping(self, start: int, end: int) -> tuple[Insert, ...]:
        if not self.inserts:
            return ()
        return tuple(insert for insert in self.inserts if insert.start < end and insert.end > start)


def file_script(path: str, data: bytes) -> Script:
    """Lines that end in CR LF are read as they are meant; edits beside them keep the CR."""
    if not has_crlf(data):
        return Script(path, data, data)
    kept = [at for at in range(len(data)) if not data.startswith(b"\r\n", at)]
    return Script(path, data.replace(b"\r\n", b"\n"), data, kept, [at + 1 for at in kept])


def has_crlf(data: bytes) -> bool:
    return b"\r\n" in data


def run_script(document: YamlDocument, node: yaml.ScalarNode, context: Context) -> Script | Refusal:
    """The script of a `run:` scalar, expressions filled in."""
    mapped = map_scalar(document, node)
    if isinstance(mapped, Refusal):
        return mapped
    builder = _Builder(document.path, document.data)
    for start, end, inner in expressions(node.value):
        if inner is None:
            builder.own(mapped, start, end)
        else:
            first, last = mapped.starts[start], mapped.ends[end - 1]
            site = Site(document.path, first, last, line_of(document.data, first), SiteKind.LITERAL, quote="yaml")
            value = evaluate(inner, context)
            builder.insert(Value(tuple(replace(piece, via=(*piece.via, site)) for piece in value.pieces)), first, last)
    return builder.script()


def nested_script(path: str, source: bytes, value: Value) -> Script | None:
    """A script that a command was given as one quoted word, byte for byte where it stands in the file; None where it
    does not stand there as a whole."""
    held = standing(source, path, value)
    if held is None:
        return None
    builder = _Builder(path, source)
    for piece, run, own in zip(value.pieces, held.runs, held.own, strict=True):
        if own:
            builder.data += (piece.text or "").encode()
            builder.starts += [start for start, _ in run]
            builder.ends += [end for _, end in run]
        else:
            builder.insert(Value((piece,)), *run[0])
    script = builder.script()
    return replace(script, nested=held.nested) if script.starts else None


def value_script(path: str, source: bytes, value: Value, start: int, end: int) -> Script:
    """A script that a command was given as an argument (`bash -c`, `eval`): its bytes stand for that argument."""
    builder = _Builder(path, source)
    builder.insert(value, start, end)
    script = builder.script()
    return replace(script, dynamic=True)


class _Builder:
    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.data = bytearray()
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.inserts: list[Insert] = []

    def own(self, mapped: ScalarMap, start: int, end: int) -> None:
        for at in range(start, end):
            encoded = mapped.text[at].encode()
            self.data += encoded
            first, last = mapped.starts[at], mapped.ends[at]
            if len(encoded) == 1 or last - first != len(encoded):
                self.starts += [first] * len(encoded)
                self.ends += [last] * len(encoded)
            else:
                self.starts += range(first, last)
                self.ends += range(first + 1, last + 1)

    def insert(self, value: Value, start: int, end: int) -> None:
        for piece in value.pieces:
            text = piece.text
            if text is None:
                text = f"{PLACEHOLDER}{len(self.inserts)}_"
            encoded = text.encode()
            at = len(self.data)
            self.inserts.append(Insert(at, at + len(encoded), Value((piece,))))
            self.data += encoded
            self.starts += [start] * len(encoded)
            self.ends += [end] * len(encoded)

    def script(self) -> Script:
        # A line that goes on at the text's end is no error to bash, and one to the grammar.
        data = _GOES_ON.sub(lambda found: found[1] + b" " * (len(found[0]) - len(found[1])), bytes(self.data))
        if not data:
            return Script(self.path, b"", b"")
        return Script(self.path, data, self.source, self.starts, self.ends, tuple(self.inserts))


def literal_pieces(script: Script, text: str, start: int, end: int, site: Site, *, bare: bool) -> tuple[Piece, ...]:
    """A literal of the script: its own text at `site`, except where an insert brought the text or hides it."""
    inserts = script.overlapping(start, end)
    if not inserts:
        return (Piece(text, site, bare=bare),)
    if len(text.encode()) != end - start:
        return (Piece(None, site, name=str(inserts[0].value), many=bare, bare=bare),)
    data, at = text.encode(), start
    pieces: list[Piece] = []
    for insert in inserts:
        first, last = max(insert.start, start), min(insert.end, end)
        if first > at:
            part = data[at - start : first - start].decode("utf-8", "replace")
            own = replace(site, start=script.start_of(at), end=script.end_of(first))
            pieces.append(Piece(part, own, bare=bare))
        piece = insert.value.pieces[0]
        if piece.text is None:
            pieces.append(replace(piece, many=bare and piece.name not in ONE_WORD, bare=bare))
        else:
            before = piece.text.encode()[: first - insert.start].decode("utf-8", "replace")
            part = data[first - start : last - start].decode("utf-8", "replace")
            pieces.append(replace(cut(piece, len(before), len(before) + len(part)), bare=bare))
        at = last
    if at < end:
        rest = data[at - start :].decode("utf-8", "replace")
        pieces.append(Piece(rest, replace(site, start=script.start_of(at)), bare=bare))
    return tuple(pieces)
