"""Logs inside zips and gzip files. Nothing is extracted: members are read as streams, under caps."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from triage.errors import ExitCode
from triage.interfaces import LogSource
from triage.sources.members import job_logs
from triage.sources.unreadable import SNIFFED, UnreadableLog, no_log

_MOST_MEMBERS = 20_000
_MOST_BYTES = 64 << 30
# A log that shrinks more than this is none; small ones are let through, they cost nothing.
_MOST_RATIO = 300
_SMALL = 256 << 20
_DAMAGED = (
    OSError,
    ValueError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class GzipLog:
    name: str
    path: Path

    def open(self) -> BinaryIO:
        most = max(_SMALL, _MOST_RATIO * self.path.stat().st_size)
        return _checked([lambda: cast(BinaryIO, gzip.open(self.path, "rb"))], self.name, most)


@dataclass(frozen=True, slots=True)
class ZippedLog:
    """One job's log: one member, or its steps' members one after the other."""

    name: str
    path: Path
    # By their places in the zip's list: several may bear one name.
    members: tuple[int, ...]

    def open(self) -> BinaryIO:
        archive = _archive(self.path, os.getpid())
        listed = archive.infolist()
        parts = [listed[member] for member in self.members]
        opened = [lambda part=part: cast(BinaryIO, archive.open(part)) for part in parts]
        return _checked(opened, self.name, sum(part.file_size for part in parts))


@lru_cache(maxsize=4)
def _archive(path: Path, process: int) -> zipfile.ZipFile:
    """Kept open over its members: to open it anew for each reads the whole list of members each time.

    Each process has its own, since a forked one would share the position in the file.
    """
    return zipfile.ZipFile(path)


def gzipped(path: Path) -> LogSource | UnreadableLog:
    log = GzipLog(str(path), path)
    return _no_log(log) or cast(LogSource, log)


def zipped(path: Path) -> Iterator[LogSource | UnreadableLog]:
    """One log a job. Encrypted, damaged and exploding zips are one unreadable input."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
    except _DAMAGED as error:
        yield UnreadableLog(str(path), f"{path}: is no readable zip: {error}.", "Download it again.")
        return
    problem = _problem(listed)
    logs = job_logs("" if member.is_dir() else member.filename for member in listed)
    if problem:
        yield UnreadableLog(str(path), f"{path}: {problem}")
    elif not logs:
        yield UnreadableLog(str(path), f"{path}: holds no log.", code=ExitCode.NOTHING_TO_TRIAGE)
    for log in logs if not problem else ():
        zipped_log = ZippedLog(f"{path}: {log.job}", path, log.members)
        yield _no_log(zipped_log) or cast(LogSource, zipped_log)


def _no_log(log: GzipLog | ZippedLog) -> UnreadableLog | None:
    """What its first bytes say. Damage is told by whoever reads it, with what came before."""
    try:
        with log.open() as stream:
            return no_log(log.name, stream.read(SNIFFED))
    except _DAMAGED:
        return None


def _problem(members: Sequence[zipfile.ZipInfo]) -> str:
    if len(members) > _MOST_MEMBERS:
        return f"holds more than {_MOST_MEMBERS} members."
    if any(member.flag_bits & 1 for member in members):
        return "is encrypted."
    if sum(member.file_size for member in members) > _MOST_BYTES:
        return f"unpacks to more than {_MOST_BYTES >> 30} GiB."
    for member in members:
        if member.file_size > _SMALL and member.file_size > _MOST_RATIO * member.compress_size:
            return f"its member {member.filename[:80]!r} unpacks to over {_MOST_RATIO} times its size."
    return ""


class _Checked(io.RawIOBase):
    """Streams one after the other as one; damage and excess become OSError, whatever the library raises."""

    def __init__(self, openers: Sequence[Callable[[], BinaryIO]], name: str, most: int) -> None:
        super().__init__()
        self._openers = openers
        self._name = name
        self._most = most
        self._index = 0
        self._at = 0
        self._stream: BinaryIO | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        chunk = self._next(len(view))
        view[: len(chunk)] = chunk
        self._at += len(chunk)
        if self._at > self._most:
            raise OSError(f"it unpacks to more than {self._most >> 20} MiB")
        return len(chunk)

    def _next(self, size: int) -> bytes:
        try:
            while self._index < len(self._openers):
                self._stream = self._stream or self._openers[self._index]()
                # `read1` hands out what is before the damage; `read` would lose it.
                chunk: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
                if chunk:
                    return chunk
                self._stream.close()
                self._stream, self._index = None, self._index + 1
        except _DAMAGED as error:
            raise OSError(f"it is damaged: {error}") from error
        return b""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Only from the start, by reading again."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only absolute positions")
        if offset < self._at:
            if self._stream:
                self._stream.close()
            self._stream, self._index, self._at = None, 0, 0
        while self._at < offset and self.read(min(1 << 16, offset - self._at)):
            pass
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if self._stream and not self.closed:
            self._stream.close()
        super().close()


def _checked(openers: Sequence[Callable[[], BinaryIO]], name: str, most: int) -> BinaryIO:
    return cast(BinaryIO, _Checked(openers, name, most))
