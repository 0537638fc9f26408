"""Makes any source a stream of UTF-8 bytes: UTF-16 files (a Windows shell's redirect) are transcoded on the way."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, cast

from triage.interfaces import LogSource

_SNIFFED = 1024


class _Transcoded(io.RawIOBase):
    """Reads UTF-16 and returns UTF-8. Offsets in a log count in what this returns. Forward only."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        while not self._ready and not self._ended:
            raw = self._stream.read(1 << 16)
            self._ended = not raw
            self._ready = self._decoder.decode(raw, self._ended).encode("utf-8", "replace")
        part, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_utf8(source: LogSource, offset: int = 0) -> BinaryIO:
    """The source's bytes from `offset` on, in UTF-8 (or in what a broken log holds instead). Close it after use."""
    stream = source.open()
    start = stream.read(_SNIFFED)
    encoding = sniff_utf16(start)
    stream.seek(0)
    if not encoding:
        stream.seek(offset)
        return stream
    transcoded = cast(BinaryIO, io.BufferedReader(_Transcoded(stream, encoding), 1 << 16))
    while offset > 0 and (skipped := transcoded.read(min(offset, 1 << 16))):
        offset -= len(skipped)
    return transcoded


def sniff_utf16(start: bytes) -> str:
    """The codec's name, "" for anything else. Without a byte-order mark, NULs in every other byte tell."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    pairs = len(start) // 2
    if pairs < 8:
        return ""
    even, odd = start[0 : 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    if odd > 0.7 * pairs and even < 0.1 * pairs:
        return "utf-16-le"
    if even > 0.7 * pairs and odd < 0.1 * pairs:
        return "utf-16-be"
    return ""
