"""Files that a job itself edits before it reads them: whether what the draft changes there stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from triage.fixes.evaluate.written import untouched
from triage.fixes.refusal import Refusal
from triage.gates.change import Change


def edited_by_jobs(change: Change) -> Iterator[str]:
    """Why lines of the draft may not be what a job of it reads."""
    for path in change.new:
        before = set(_lines(change.old[path]))
        lines = [line for line in _lines(change.new[path]) if line not in before]
        for run in change.jobs:
            ways = () if isinstance(run.after, Refusal) else run.after.altered.get(path, ())
            for way in ways:
                if not untouched(way, path, lines):
                    yield f"{path} is edited in place by {way.where} when {run.job} runs"


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").split("\n")
