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

from triage.interfaces import LogSource
from triage.sources.unreadable import GZIPPED, SNIFFED, ZIPPED, UnreadableLog, no_log

STDIN = "-"
_ENDINGS = frozenset({".log", ".txt", ".out", ".err", ".gz", ".zip", ""})
_MOST_FILES = 2000
_IN_MEMORY = 8 << 20
_MOST_SPOOLED = 32 << 30


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
        found += [_spool("standard input", stdin)] if path == STDIN else _named(path)
    return tuple(found)


def _named(path: str) -> list[LogSource | UnreadableLog]:
    # `Path("")` is the folder one stands in, which nobody named: an unset variable of a script did.
    return (
        _at(Path(path)) if path else [UnreadableLog("''", "'': no such file.", "Give a log file, a folder or a zip.")]
    )


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
    # A pipe or a device that lies in a folder would be read without an end; a link may lead out of it.
    logs = [file for file in files if _is_named_as_log(file) and stat.S_ISREG(file.lstat().st_mode)]
    if not logs:
        return [UnreadableLog(str(folder), f"{folder}: holds no log.", "Logs end in .log, .txt, .out, .gz or .zip.")]
    return [found for file in logs for found in _at(file)]


def _is_named_as_log(file: Path) -> bool:
    return file.suffix.lower() in _ENDINGS and not file.name.startswith(".")


def _file(path: Path) -> Iterator[LogSource | UnreadableLog]:
    with path.open("rb") as stream:
        start = stream.read(SNIFFED)
    if start.startswith(ZIPPED):
        from triage.sources.archives import zipped  # zipfile costs more to import than a small log to read

        yield from zipped(path)
    elif start.startswith(GZIPPED):
        from triage.sources.archives import gzipped

        yield gzipped(path)
    else:
        yield no_log(str(path), start) or FileLog(str(path), path)


def _spool(name: str, stream: BinaryIO) -> LogSource | UnreadableLog:
    try:
        content = stream.read(_IN_MEMORY)
        problem = no_log(name, content[:SNIFFED])
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
