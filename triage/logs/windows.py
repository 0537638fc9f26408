"""Looks again at the lines around one line, by byte offset: nothing else of the log is read."""

from __future__ import annotations

from itertools import zip_longest
from typing import BinaryIO

from triage.interfaces import LogSource
from triage.logs.cleaning import visible
from triage.logs.columns import Columns, columns
from triage.logs.encoding import open_utf8
from triage.logs.lines import LONGEST_TEXT, parse, time_of
from triage.model.log import Line, LineKind

# How far back and ahead a window looks, in bytes.
_REACH = 1 << 18


def window(source: LogSource, line: Line, before: int, after: int) -> tuple[Line, ...]:
    """`line` and up to `before` and `after` raw lines around it, cleaned; runs of progress bars keep their last one.

    Fewer where the log starts or ends, or where the lines around are longer than 256 KiB together.
    """
    around = lines_around(source, line.number, line.offset, before, after)
    return squashed([line if other.number == line.number else other for other in around], line.number)


def lines_around(source: LogSource, number: int, offset: int, before: int, after: int) -> list[Line]:
    """Up to `before` raw lines, the line `number` that starts at byte `offset`, and up to `after` more, cleaned."""
    from_byte = max(0, offset - _REACH)
    with open_utf8(source, from_byte) as stream:
        earlier = _up_to(stream, offset - from_byte)
        later = _up_to(stream, _REACH)
    head = earlier.split(b"\n")[:-1]
    if from_byte:
        head = head[1:]  # cut somewhere in its middle
    head = head[len(head) - min(before, len(head)) :]
    tail = later.split(b"\n")[: after + 1]
    if not tail[-1] and len(tail) <= after + 1 and later.count(b"\n") < after + 1:
        tail = tail[:-1]  # what follows the last newline is no line
    at = offset - sum(len(raw) + 1 for raw in head)
    lines = []
    above = Columns()
    for count, raw in enumerate(head + tail, number - len(head)):
        shown = visible(raw[: 4 * LONGEST_TEXT])
        above = columns(shown, above)
        lines.append(_line(raw, shown, above.end, count, at))
        at += len(raw) + 1
    return lines


def _up_to(stream: BinaryIO, size: int) -> bytes:
    """Less where the stream ends, or where it is damaged: who read it first has said so."""
    parts = []
    try:
        while size > 0 and (part := stream.read(size)):
            parts.append(part)
            size -= len(part)
    except OSError:
        pass
    return b"".join(parts)


def squashed(lines: list[Line], wanted: int = 0) -> tuple[Line, ...]:
    """Without the progress bars that another one follows, except the line numbered `wanted`."""
    return tuple(
        kept
        for kept, following in zip_longest(lines, lines[1:])
        if kept.number == wanted
        or following is None
        or not (kept.kind is LineKind.PROGRESS and following.kind is LineKind.PROGRESS)
    )


def _line(raw: bytes, shown: bytes, begins: int, number: int, offset: int) -> Line:
    parsed = parse(shown, begins)
    kind = LineKind.PROGRESS if parsed.progress else LineKind.OUTPUT
    if parsed.text.startswith(b"##["):
        kind = LineKind.MARKER
    elif raw.find(b"\x1b[36;1m", 0, 64) >= 0:
        kind = LineKind.SCRIPT
    text = parsed.text[:LONGEST_TEXT].decode("utf-8", "replace")
    prefix = parsed.prefix.decode("utf-8", "replace")
    return Line(number, text, offset, time_of(parsed.stamp), parsed.stream, kind=kind, prefix=prefix)
