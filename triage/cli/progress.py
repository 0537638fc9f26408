"""Progress on stderr: a bar for a person, one quiet line a job elsewhere."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from triage.cli.status_line import StatusLine
from triage.cli.workflow_job import harmless_words
from triage.model.run import Job, Transfer
from triage.pipeline.run import Watch


@contextmanager
def watching() -> Iterator[Watch]:
    """What to hand to the pipeline. Nothing is drawn when the run has one job, or TRIAGE_QUIET is set."""
    if os.environ.get("TRIAGE_QUIET"):
        yield Watch()
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        with StatusLine() as line:
            yield _Bar(line)
    else:
        yield _Lines()


class _Lines(Watch):
    def examined(self, done: int, total: int, job: Job) -> None:
        if total > 1:
            print(harmless_words(f"triage: {done}/{total} {job.name}"), file=sys.stderr)


class _Bar(Watch):
    """Jobs done, bytes received."""

    def __init__(self, line: StatusLine) -> None:
        self._line = line
        self._lock = threading.Lock()
        self._received: dict[int, int] = {}
        self._jobs = ""

    def transferred(self, transfer: Transfer) -> None:
        with self._lock:
            self._received[transfer.job.id] = transfer.received
            self._draw()

    def examined(self, done: int, total: int, job: Job) -> None:
        with self._lock:
            self._jobs = f"{done}/{total} jobs"
            self._draw()

    def _draw(self) -> None:
        megabytes = sum(self._received.values()) / 1e6
        self._line.draw(f"{self._jobs or 'fetching logs'}  {megabytes:.1f} MB")
