"""Through whose code a failure went: its traceback, and the installed packages that the traceback passes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.diagnosis.platforms import normalised
from triage.model.log import Frame, Line, LogReading, Traceback

_PACKAGE = re.compile(r"(?:site|dist)-packages/([A-Za-z]\w*)(?:/|\.py\Z)")
# Code that acts for whoever called it or inherits from it: what is wrong is wrong above it.
_ON_BEHALF = ("/torch/nn/modules/module.py", "/torch/utils/_contextlib.py", "/importlib/", "<frozen importlib")

# Lines of a message behind the line that names the error.
_MOST_OF_MESSAGE = 3


def traceback_of(reading: LogReading, line: Line) -> Traceback | None:
    """The traceback that holds a line: in the line's own stream, the innermost one; else the one whose message begins
    on the line behind the error's name, as one of several lines does, and goes on to this line. What a backend of
    torch.distributed says of itself stands below the first line of the message."""
    own = [t for t in reading.tracebacks if t.stream == line.stream]
    holding = [t for t in own if t.first <= line.number <= t.last]
    begins_below = [t for t in own if t.below or not t.message or t.error_type.endswith("DistBackendError")]
    holding = holding or [t for t in begins_below if t.last < line.number <= t.last + _MOST_OF_MESSAGE]
    return min(holding, key=lambda t: (t.last - t.first, not t.frames), default=None)


def packages_of(reading: LogReading, line: Line | None) -> tuple[str, ...]:
    """Import names, the innermost first, each once; none where the innermost frame is no installed package's."""
    traceback = traceback_of(reading, line) if line is not None else None
    inwards = [one for one in traceback.frames if not _acts_for_others(one)] if traceback is not None else []
    if not inwards or not _PACKAGE.search(inwards[-1].path):
        return ()
    return tuple(dict.fromkeys(_packages(reversed(inwards))))


def parts_of(reading: LogReading, line: Line | None) -> frozenset[str]:
    """Folders and modules of the packages that it passes, normalised: what a package wraps has its name there."""
    if line is None or not packages_of(reading, line):
        return frozenset()
    traceback = traceback_of(reading, line)
    paths = (one.path for one in traceback.frames) if traceback is not None else ()
    below = (path[found.end(1) :] for path in paths if (found := _PACKAGE.search(path)))
    return frozenset(normalised(part) for path in below for part in path.removesuffix(".py").split("/") if part)


def _acts_for_others(frame: Frame) -> bool:
    return any(part in frame.path for part in _ON_BEHALF)


def _packages(frames: Iterator[Frame]) -> Iterator[str]:
    for frame in frames:
        found = _PACKAGE.search(frame.path)
        if found:
            yield found[1]
