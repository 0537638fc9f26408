"""Finds the logs that a person names: files, folders, zips, gzip files, standard input.

What cannot be read is a value that says why; the other inputs go on.
"""

from __future__ import annotations

import io
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from triage.errors import ExitCode
from triage.interfaces import LogSource
from triage.logs.encoding import sniff_utf16
from triage.sources.unreadable import UnreadableLog

STDIN = "-"
_ENDINGS = frozenset({".log", ".txt", ".out", ".err", ".gz", ".zip", ""})
_MOST_FILES = 2000
_SNIFFED = 8192
_IN_MEMORY = 8 << 20
_MOST_SPOOLED = 32 << 30
_UNTEXTUAL = bytes({*range(32)} - {8, 9, 10, 12, 13, 27})


@dataclass(frozen=True, slots=True)
class FileLog:
    name: str
    path: Path

    def open(self) -> BinaryIO:
        return self.path.open("rb")


@dataclass(frozen=True, slots=True)
class SpooledLog:
    """A stream that cannot be read twice, kept in memory while it is small, else in a temporary file."""

    name: str
    content: bytes = b""
    file: tempfile._TemporaryFileWrapper[bytes] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        """What another process gets: this one keeps the file alive while it waits."""
        if self.file:
            return FileLog, (self.name, Path(self.file.name))
        return SpooledLog, (self.name, self.content)

    def open(self) -> BinaryIO:
        return Path(self.file.name).open("rb") if self.file else io.BytesIO(self.content)


def collect(paths: Sequence[str], stdin: BinaryIO) -> tuple[LogSource | UnreadableLog, ...]:
    """Every log in the inputs, in their order; inside a folder by name, inside a zip in the zip's order."""
    found: list[LogSource | UnreadableLog] = []
    for path in paths:
        found += [_spool("standard input", stdin)] if path == STDIN else _at(Path(path))
    return tuple(found)


def _at(path: Path) -> list[LogSource | UnreadableLog]:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _folder(path)
        if not stat.S_ISREG(mode):
            with path.open("rb") as stream:
                return [_spool(str(path), stream)]
        return list(_file(path))
    except FileNotFoundError:
        return [UnreadableLog(str(path), f"{path}: no such file.", "Give a log file, a folder, a zip, or - for stdin.")]
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        return [UnreadableLog(str(path), f"{path}: cannot be read: {reason}.")]


def _folder(folder: Path) -> list[LogSource | UnreadableLog]:
    files = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(parent, name) for name in sorted(names)]
        if len(files) > _MOST_FILES:
            return [UnreadableLog(str(folder), f"{folder}: holds more than {_MOST_FILES} files.", "Name the logs.")]
    logs = [file for file in files if file.suffix.lower() in _ENDINGS and not file.name.startswith(".")]
    if not logs:
        return [UnreadableLog(str(folder), f"{folder}: holds no log.", "Logs end in .log, .txt, .out, .gz or .zip.")]
    return [found for file in logs if not file.is_symlink() for found in _at(file)]


def _file(path: Path) -> Iterator[LogSource | UnreadableLog]:
    with path.open("rb") as stream:
        start = stream.read(_SNIFFED)
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        from triage.sources.archives import zipped  # zipfile costs more to import than a small log to read

        yield from zipped(path)
    elif start.startswith(b"\x1f\x8b"):
        from triage.sources.archives import GzipLog

        yield GzipLog(str(path), path)
    else:
        yield _unreadable(str(path), start) or FileLog(str(path), path)


def _unreadable(name: str, start: bytes) -> UnreadableLog | None:
    if not start:
        return UnreadableLog(name, f"{name}: is empty.", code=ExitCode.NOTHING_TO_TRIAGE)
    strange = len(start) - len(start.translate(None, _UNTEXTUAL))
    if strange > 0.3 * len(start) and not sniff_utf16(start):
        return UnreadableLog(name, f"{name}: is not text.", "Give the raw log of a job.")
    return None


def _spool(name: str, stream: BinaryIO) -> LogSource | UnreadableLog:
    try:
        content = stream.read(_IN_MEMORY)
        problem = _unreadable(name, content[:_SNIFFED])
        if problem:
            return problem
        if len(content) < _IN_MEMORY:
            return cast(LogSource, SpooledLog(name, content))
        return _spool_to_disk(name, content, stream)
    except OSError as error:
        return UnreadableLog(name, f"{name}: cannot be read: {error.strerror or error}.")


def _spool_to_disk(name: str, content: bytes, stream: BinaryIO) -> LogSource | UnreadableLog:
    file = tempfile.NamedTemporaryFile(prefix="triage-", suffix=".log")  # noqa: SIM115 - lives as long as its source
    size = 0
    while content and size < _MOST_SPOOLED:
        size += file.write(content)
        content = stream.read(_IN_MEMORY)
    if content:
        file.close()
        return UnreadableLog(name, f"{name}: is larger than {_MOST_SPOOLED >> 30} GiB.", "Give the log as a file.")
    file.flush()
    return cast(LogSource, SpooledLog(name, file=file))
