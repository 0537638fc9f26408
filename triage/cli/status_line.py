"""One line on stderr that is drawn over itself while work goes on, and is gone before anything else is written."""

from __future__ import annotations

import os
import sys
import threading


class StatusLine:
    """Drawn only on a terminal, from any thread; as a context, it is wiped at the end, also of work that fails.

    What a thread still reports after that is not drawn: it would stand in the way of the error, or of the answer.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self.shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
            self._write("")

    def draw(self, text: str) -> None:
        with self._lock:
            if not self._over:
                self._write(text)

    def _write(self, text: str) -> None:
        if self.shown:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
