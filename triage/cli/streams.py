"""The three standard streams, as they may be found: closed, in another encoding, on a full disk, with no reader."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def prepare() -> None:
    """A closed stream becomes an empty one; what an encoding cannot say is written as `?`, not raised."""
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def write_in_utf8() -> None:
    """For what programs read: JSON, Markdown, HTML and SARIF are the same in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


def drop_output() -> None:
    """What could not be written is not tried again at the end, when nobody could be told."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except io.UnsupportedOperation:
        return  # it is held in memory


def _nothing(mode: str) -> io.TextIOWrapper:
    stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - as long as the process
    assert isinstance(stream, io.TextIOWrapper)
    return stream
