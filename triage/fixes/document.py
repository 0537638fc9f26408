"""Texts as bytes: line ends, splices that keep every byte outside the edits, conflicts, unified diffs.

Nothing here decodes: a file keeps its BOM, its mixture of line ends, its missing final newline and its encoding.
Offsets and spans are bytes into the file.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, pairwise

from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

BOM = b"\xef\xbb\xbf"
CONTEXT_LINES = 3
# Pairs of same lines that are compared; beyond, what is there often counts for no line to hold on to.
_MOST_PAIRS = 2_000_000

Opcode = tuple[str, int, int, int, int]


def line_of(data: bytes, offset: int) -> int:
    """The line, from 1, that holds the byte at `offset`."""
    return bisect_left(_newlines(data), offset) + 1


@lru_cache(maxsize=8)
def _newlines(data: bytes) -> Sequence[int]:
    """Where the lines end. Every word of a script asks for its line, and counting each time is quadratic."""
    return array("Q", (found.start() for found in re.finditer(b"\n", data)))


def offset_of(data: bytes, line: int) -> int:
    """Where a line, counted from 1, starts; the end for one that the data does not have."""
    ends = _newlines(data)
    return 0 if line < 2 else ends[line - 2] + 1 if line - 2 < len(ends) else len(data)


def line_start(data: bytes, offset: int) -> int:
    """Where the line that holds `offset` starts."""
    return data.rfind(b"\n", 0, offset) + 1


def is_remark(data: bytes, offset: int) -> bool:
    """Whether a `#`, as the line's first or behind a blank, stands before `offset` on its line."""
    before = data[line_start(data, offset) : offset]
    return before.startswith(b"#") or b" #" in before or b"\t#" in before


def line_end(data: bytes, offset: int) -> int:
    """Where the content of the line that holds `offset` ends, before its `\\n` or `\\r\\n`."""
    end = data.find(b"\n", offset)
    if end < 0:
        return len(data)
    return end - 1 if end > offset and data[end - 1 : end] == b"\r" else end


def line_after(data: bytes, offset: int) -> int:
    """Where the line behind the one that holds `offset` starts; the data's end where that is the last one."""
    return data.find(b"\n", offset) + 1 or len(data)


def eol_at(data: bytes, offset: int) -> bytes:
    """The line end to write beside `offset`: that of its own line, else of the line before, else `\\n`."""
    end = data.find(b"\n", offset)
    if end < 0:
        end = data.rfind(b"\n", 0, offset)
    return b"\r\n" if end > 0 and data[end - 1 : end] == b"\r" else b"\n"


def line_with(data: bytes, start: int, end: int, new: bytes) -> bytes:
    """The line that holds `start`..`end`, with `new` in its place."""
    return data[line_start(data, start) : start] + new + data[end : line_end(data, end)]


def indent_of(line: bytes) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip(b" "))


def starts_of(lines: Sequence[bytes]) -> tuple[int, ...]:
    """Where each of these lines starts in the text that they make up."""
    return tuple(accumulate(map(len, lines), initial=0))[: len(lines)]


def conflicts(edits: Iterable[Edit]) -> tuple[tuple[Edit, Edit], ...]:
    """Pairs that touch the same bytes of a file, and different insertions at one offset: their order would be a guess.
    Identical edits are one edit; an insertion where a replaced text starts comes before it."""
    ordered = sorted(set(edits), key=lambda edit: (edit.path, edit.start, edit.end))
    pairs = []
    for before, after in pairwise(ordered):
        same_place = before.start == after.start and before.end == after.end
        if before.path == after.path and (after.start < before.end or same_place):
            pairs.append((before, after))
    return tuple(pairs)


def splice(data: bytes, edits: Sequence[Edit]) -> bytes | Refusal:
    """`data` with the edits of one file made. Identical edits are made once; conflicting or outlying ones refuse."""
    for before, after in conflicts(edits):
        return Refusal(f"two edits meet ({before.why}; {after.why})", before.path, line_of(data, after.start))
    parts, at = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, edit.end)):
        if not 0 <= edit.start <= edit.end <= len(data):
            return Refusal(f"an edit lies outside the file ({edit.start}..{edit.end} of {len(data)} bytes)", edit.path)
        parts += [data[at : edit.start], edit.new]
        at = edit.end
    return b"".join((*parts, data[at:]))


def lines_of(data: bytes) -> list[bytes]:
    """Lines with their `\\n` kept; a lone `\\r` or other separators end no line, as in git."""
    lines = data.split(b"\n")
    kept = [line + b"\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def unified_diff(path: str, before: bytes, after: bytes, context: int = CONTEXT_LINES) -> bytes:
    """What `git apply` takes, with a/ and b/ prefixes; empty when the texts are equal."""
    old, new = lines_of(before), lines_of(after)
    out = [f"--- a/{path}\n+++ b/{path}\n".encode()]
    for group in _groups(_opcodes(old, new), context):
        first, last = group[0], group[-1]
        out.append(_header(first[1], last[2], first[3], last[4]))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                out += _marked(b" ", old[i1:i2])
            else:
                out += _marked(b"-", old[i1:i2])
                out += _marked(b"+", new[j1:j2])
    return b"".join(out) if len(out) > 1 else b""


def _opcodes(old: list[bytes], new: list[bytes]) -> list[Opcode]:
    """Only what lies between the common head and the common tail is compared: long files differ in few lines."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before_it, after_it = old[head : len(old) - tail], new[head : len(new) - tail]
    middle = SequenceMatcher(None, before_it, after_it, autojunk=_pairs(before_it, after_it) > _MOST_PAIRS)
    inner = [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in middle.get_opcodes()]
    before, after = (
        ("equal", 0, head, 0, head),
        ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
    )
    return [code for code in (before, *inner, after) if code[2] > code[1] or code[4] > code[3]]


def _pairs(old: list[bytes], new: list[bytes]) -> int:
    """Lines that are the same in both, each with each: thousands of one line are millions of pairs."""
    theirs = Counter(new)
    return sum(count * theirs[line] for line, count in Counter(old).items())


def _common(left: list[bytes], right: list[bytes]) -> int:
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def _groups(codes: list[Opcode], context: int) -> Iterator[list[Opcode]]:
    """Changes with up to `context` equal lines around them; far-apart changes become groups of their own."""
    group: list[Opcode] = []
    for at, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        before, after = (0 if at == 0 else context), (0 if at == len(codes) - 1 else context)
        if i2 - i1 <= before + after:
            group.append((tag, i1, i2, j1, j2))
            continue
        if group:
            yield [*group, (tag, i1, i1 + before, j1, j1 + before)]
        group = [(tag, i2 - after, i2, j2 - after, j2)] if after else []
    if any(code[0] != "equal" for code in group):
        yield group


def _header(i1: int, i2: int, j1: int, j2: int) -> bytes:
    return f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n".encode()


def _range(start: int, stop: int) -> str:
    """A unified diff counts lines from 1; an empty range names the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start if length == 0 else start + 1},{length}"


def _marked(mark: bytes, lines: Iterable[bytes]) -> list[bytes]:
    return [
        mark + line if line.endswith(b"\n") else mark + line + b"\n\\ No newline at end of file\n" for line in lines
    ]
