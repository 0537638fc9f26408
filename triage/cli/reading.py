"""While large logs are read, a person at the terminal sees that work goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.interfaces import LogSource

# Seconds before anything is drawn, and between two drawings.
_BEAT = 1.0


@contextmanager
def reading(logs: Sequence[LogSource]) -> Iterator[None]:
    """One line on stderr with the seconds that have passed; on a terminal only, and gone at the end."""
    if not sys.stderr.isatty() or os.environ.get("CI") or os.environ.get("TRIAGE_QUIET"):
        yield
        return
    from triage.cli.status_line import StatusLine
    from triage.output.plain import count

    size = sum(map(_size, logs)) / 1e6
    named = f"reading {count(len(logs), 'log')}" + (f", {size:.0f} MB" if size >= 1 else "")
    with StatusLine() as line, _beating(lambda seconds: line.draw(f"{named}: {seconds:.0f} s")):
        yield


@contextmanager
def _beating(draw: Callable[[float], None]) -> Iterator[None]:
    from threading import Event, Thread

    over = Event()

    def beat() -> None:
        beats = 0
        while not over.wait(_BEAT):
            beats += 1
            draw(beats * _BEAT)

    thread = Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _size(log: LogSource) -> int:
    """Bytes of a file; 0 for what came another way."""
    path = getattr(log, "path", None)
    with suppress(OSError):
        return path.stat().st_size if isinstance(path, Path) else 0
    return 0
