from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs import blocks as cutting
from triage.logs.blocks import LONGEST_LINE, OVERLAP, Block, blocks


def small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cutting, "BLOCK", 32)
    patch.setattr(cutting, "LONGEST_LINE", 32)
    patch.setattr(cutting, "OVERLAP", 8)


def rejoined(found: list[Block], overlap: int) -> bytes:
    return b"".join(block.raw[overlap if block.piece > 1 else 0 :] for block in found)


@given(st.lists(st.sampled_from([b"\n", b"a" * 7, b"b" * 40, b"c" * 100, b"\n\n"]), max_size=40).map(b"".join))
def test_every_byte_is_there_once_and_numbers_and_offsets_are_exact(raw: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        found = list(blocks(io.BytesIO(raw)))
    assert rejoined(found, 8) == raw
    for block in found:
        assert raw[block.offset : block.offset + len(block.raw)] == block.raw
        assert raw.count(b"\n", 0, block.offset) + 1 == block.first
        assert block.line_offset == raw.rfind(b"\n", 0, block.offset) + 1
        assert not block.piece or b"\n" not in block.raw[:-1]


def test_a_line_of_the_longest_length_stays_whole() -> None:
    raw = b"x" * LONGEST_LINE + b"\nshort\n"
    assert all(block.piece == 0 for block in blocks(io.BytesIO(raw)))


def test_a_longer_line_is_cut_with_overlap() -> None:
    raw = b"x" * (3 * LONGEST_LINE) + b"\nshort\n"
    found = list(blocks(io.BytesIO(raw)))
    assert [block.piece for block in found] == [1, 2, 3, 4, 0]
    assert rejoined(found, OVERLAP) == raw
    assert {block.first for block in found[:-1]} == {1}


def test_nothing_in_nothing_out() -> None:
    assert list(blocks(io.BytesIO(b""))) == []
