"""Reads pytest's own rendering of a failure: `E   Error: ...`, `file:line: in func`, `file:line: Error`."""

from __future__ import annotations

import re

from triage.logs.lines import Seen
from triage.logs.tracebacks import error_of
from triage.model.log import Frame, Traceback

_PLACE = re.compile(r"([^\s:][^:\n]{0,300}\.py):(\d{1,9}): (?:in (\S{1,200})$|([A-Z]\w{0,100})$)")
_MOST = 400
_MOST_FRAMES = 60
# The place that closes a failure stands at most so far below its first `E` line.
_REACH = 2000


class PytestErrors:
    """See every `E   ` line and every place line."""

    def __init__(self) -> None:
        self.found: list[Traceback] = []
        self.capped = False
        self._frames: list[Frame] = []
        self._last_error_line = -2
        self._amendable = False

    def see(self, seen: Seen) -> None:
        if seen.parsed.pytest:
            # An empty `E` line in between may have lost its blanks, and with them its prefix.
            if seen.number > self._last_error_line + 2 and seen.text.strip():
                self._begin(seen)
            self._last_error_line = seen.number
        elif place := _PLACE.match(seen.text):
            frame = Frame(place[1], int(place[2]), place[3] or "")
            if place[3]:
                self._frames = [*self._frames[-_MOST_FRAMES:], frame]
            else:
                self._close(seen, frame, place[4])

    def _begin(self, seen: Seen) -> None:
        if len(self.found) >= _MOST:
            self.capped = True
            return
        kind, message = error_of(seen.text)
        frames, self._frames = tuple(self._frames), []
        self.found.append(
            Traceback(
                first=seen.number,
                last=seen.number,
                stream=seen.parsed.stream,
                error=seen.line(),
                error_type=kind or "AssertionError",
                message=message,
                frames=frames,
            )
        )
        self._amendable = True

    def _close(self, seen: Seen, frame: Frame, kind: str) -> None:
        """`tests/test_x.py:5: AssertionError`: the place of the failure printed above, in pytest's long style."""
        if not self._amendable or seen.number - self.found[-1].first > _REACH:
            return
        above = self.found[-1]
        self._amendable = False
        self.found[-1] = Traceback(
            first=above.first,
            last=seen.number,
            stream=above.stream,
            error=above.error,
            error_type=above.error_type if above.error_type.endswith(kind) else kind,
            message=above.message,
            frames=(*above.frames, frame),
        )
