from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs import window
from triage.logs.encoding import open_utf8, sniff_utf16
from triage.logs.windows import lines_around
from triage.model.log import Line, LineKind

STAMP = "2026-08-20T03:11:42.1425265Z "


def test_a_window_is_the_lines_around(held) -> None:
    log = held("x", "\n".join(f"{STAMP}line {n}" for n in range(1, 30)).encode())
    offset = 9 * (len(STAMP) + 7)
    found = window(log, Line(10, "line 10", offset), 3, 2)
    assert [(line.number, line.text) for line in found] == [(n, f"line {n}") for n in range(7, 13)]
    assert all(log.content[line.offset :].startswith(f"{STAMP}line {line.number}".encode()) for line in found)


@given(st.lists(st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")), min_size=1, max_size=12), st.data())
def test_numbers_and_offsets_are_exact_for_any_bytes(lines: list[bytes], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    before, after = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    raw = b"\n".join(lines)
    log = _Held("x", raw if not sniff_utf16(raw[:1024]) else b"x")
    if log.content != raw:
        return
    offset = len(b"".join(line + b"\n" for line in lines[:at]))
    found = lines_around(log, at + 1, offset, before, after)
    wanted = range(max(0, at - before) + 1, min(len(lines), at + 1 + after) + 1)
    assert [line.number for line in found] == [n for n in wanted if n < len(lines) or lines[-1]]
    for line in found:
        assert raw[line.offset :].split(b"\n")[0] == lines[line.number - 1]


def test_bars_are_squashed_but_the_wanted_line_stays(held) -> None:
    bar = "Loading: {0:3}%|##  | {0}/100 [00:01<00:01, 1.2it/s]"
    log = held("x", "\n".join([*(bar.format(n) for n in range(1, 9)), "boom"]).encode())
    last = window(log, Line(9, "boom", log.content.index(b"boom")), 8, 0)
    assert [(line.number, line.kind) for line in last] == [(8, LineKind.PROGRESS), (9, LineKind.OUTPUT)]
    third = window(log, Line(3, "bar", log.content.index(bar.format(3).encode()), kind=LineKind.PROGRESS), 2, 0)
    assert [line.number for line in third] == [3]


def test_utf16_is_read_with_offsets_of_the_decoded_text(held, read) -> None:
    text = f"{STAMP}ok É\r\n{STAMP}ValueError: böse\r\n{STAMP}##[error]Process completed with exit code 1.\r\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        reading = read(text.encode(encoding))
        (suspect,) = reading.suspects
        assert (suspect.number, suspect.text) == (2, "ValueError: böse")
        assert suspect.offset == text.encode().index(f"{STAMP}Value".encode())
        assert window(held("x", text.encode(encoding)), suspect, 1, 0)[0].text == "ok É"


@pytest.mark.parametrize(
    "raw", [b"", b"a", b"plain ascii text, long enough", "多字节文本多字节文本".encode(), bytes(40)]
)
def test_what_is_not_utf16_is_left_alone(raw: bytes) -> None:
    assert sniff_utf16(raw) == ""


def test_reading_from_an_offset(held) -> None:
    text = "line one\nline two\n"
    for raw in (text.encode(), text.encode("utf-16")):
        with open_utf8(held("x", raw), 9) as stream:
            assert stream.read(100) == b"line two\n"


class _Held:
    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.content = name, content

    def open(self) -> io.BytesIO:
        return io.BytesIO(self.content)
