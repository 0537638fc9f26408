"""Cuts a stream of bytes into blocks of whole lines, and very long lines into pieces that overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

# A block is small enough to stay in the processor's cache, and for few signatures to hit it.
BLOCK = 1 << 16
# A longer line is cut into pieces of this size. A match longer than the overlap may be missed in such a line.
LONGEST_LINE = 1 << 16
OVERLAP = 1 << 12


@dataclass(frozen=True, slots=True)
class Block:
    """Whole raw lines, each with its newline except the last of the input, or one piece of a very long line.

    `first` is the number (from 1) of the first raw line, `offset` the byte at which the block starts in the decoded
    source, `line_offset` the byte at which its first line starts. `piece` is 0 for whole lines, else it counts the
    pieces of one long line from 1; every piece but the first starts with the last OVERLAP bytes of the one before.
    """

    raw: bytes
    first: int
    offset: int
    piece: int = 0
    line_offset: int = 0


def blocks(stream: BinaryIO) -> Iterator[Block]:
    """Depends on the bytes alone, not on how `read` happens to cut them."""
    rest, number, offset, piece, line_offset = b"", 1, 0, 0, 0
    while chunk := stream.read(BLOCK):
        rest += chunk
        # Only the line that was left over can be too long: every other one lies inside this chunk.
        while piece or len(rest) > LONGEST_LINE:
            end = rest.find(b"\n", 0, LONGEST_LINE + 1)
            if end < 0 and len(rest) > LONGEST_LINE:
                piece += 1
                yield Block(rest[:LONGEST_LINE], number, offset, piece, line_offset)
                rest, offset = rest[LONGEST_LINE - OVERLAP :], offset + LONGEST_LINE - OVERLAP
            elif end < 0 or not piece:
                break
            else:
                yield Block(rest[: end + 1], number, offset, piece + 1, line_offset)
                rest, offset, number, piece = rest[end + 1 :], offset + end + 1, number + 1, 0
                line_offset = offset
        if not piece and (cut := rest.rfind(b"\n") + 1):
            yield Block(rest[:cut], number, offset, 0, offset)
            number, offset = number + rest.count(b"\n", 0, cut), offset + cut
            rest, line_offset = rest[cut:], offset
    if rest:
        yield Block(rest, number, offset, piece + 1 if piece else 0, line_offset)
