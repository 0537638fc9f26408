"""Files in the user's cache that nobody else may have written: checked by owner and mode, never through a link."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def private_folder(folder: Path) -> bool:
    """Make `folder` for this user alone; False when it cannot be made or is not theirs alone to write."""
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _ours(folder.lstat(), stat.S_ISDIR)
    return False


def read_private(path: Path) -> str | None:
    """The text of `path`; None when it is absent, a link, or writable (it or its folder) by somebody else."""
    try:
        if not _ours(path.parent.lstat(), stat.S_ISDIR):
            return None
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            if not _ours(os.fstat(file.fileno()), stat.S_ISREG):
                return None
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def write_private(path: Path, text: str) -> bool:
    """Write `text` whole or not at all; False when the disk refuses. A cache that cannot be kept is only slower."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError:
        return False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        return False
    return True


def _ours(status: os.stat_result, of_kind: Callable[[int], bool]) -> bool:
    own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return of_kind(status.st_mode) and own and not status.st_mode & _WRITABLE_BY_OTHERS
