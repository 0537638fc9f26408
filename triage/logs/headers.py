"""Step headers: `##[group]Run ...`, the script that the runner echoes, with:, shell:, env:, up to `##[endgroup]`.

Nothing in a header is ever evidence. A header that does not end within MOST_LINES is none: a program printed its first
line, or the log was cut, and what followed it is output after all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from triage.logs.lines import Seen
from triage.model.log import Command, LineKind

MOST_LINES = 3000
_START = b"##[group]Run "
_END = b"##[endgroup]"
_SECTIONS = (b"with:", b"env:")
_MOST_COMMANDS = 400


class Header(Enum):
    """What one more line did to the header."""

    NONE = auto()
    OPEN = auto()
    CLOSED = auto()
    ABANDONED = auto()  # the lines since its start were output; so is this one


@dataclass(frozen=True, slots=True)
class StepMark:
    """Where a step (or a step inside a composite action) begins. `title` is what follows `Run `."""

    seen: Seen
    title: str


class HeaderReader:
    def __init__(self) -> None:
        self._start: Seen | None = None
        self._commands: list[Command] = []
        self._section = b""

    @property
    def open(self) -> bool:
        return self._start is not None

    def see(self, seen: Seen) -> Header:
        text = seen.parsed.text
        starts = text.startswith(_START)
        if self._start is None:
            if starts:
                self._begin(seen)
                return Header.OPEN
            return Header.NONE
        if text.startswith(_END):
            return Header.CLOSED
        if starts or text.startswith(b"##[error]") or self._too_long(seen) or self._no_header(seen):
            self._start = None
            if starts:
                self._begin(seen)
            return Header.ABANDONED
        self._read(seen)
        return Header.OPEN

    def _too_long(self, seen: Seen) -> bool:
        return self._start is not None and seen.number - self._start.number > MOST_LINES

    def _no_header(self, seen: Seen) -> bool:
        """A program may open a group of this name too; its first line then is output. The runner's is a section or
        the script, whose first line is the title's, also where colours were taken away."""
        if self._start is None or seen.number != self._start.number + 1 or seen.script:
            return False
        text = seen.parsed.text.strip()
        section = text in _SECTIONS or text.startswith(b"shell:") or not text
        return not section and text != self._start.parsed.text[len(_START) :].strip()

    def close(self) -> tuple[StepMark, list[Command]]:
        """Takes what the header said, after CLOSED."""
        assert self._start is not None
        mark, commands = StepMark(self._start, self._start.text[len(_START) :]), self._commands
        self._start = None
        return mark, commands

    def _begin(self, seen: Seen) -> None:
        self._start, self._section = seen, b""
        self._commands = [Command(seen.text[len(_START) :], seen.line(LineKind.HEADER))]

    def _read(self, seen: Seen) -> None:
        text = seen.parsed.text
        if len(self._commands) > _MOST_COMMANDS:
            return
        if seen.script:
            self._commands.append(Command(seen.text, seen.line(LineKind.SCRIPT)))
        elif text in _SECTIONS or text.startswith(b"shell:"):
            self._section = text
        elif self._section == b"env:" and text.startswith(b"  "):
            name, colon, value = seen.text.strip().partition(":")
            if colon:
                self._commands.append(Command(f"{name}={value.strip()}", seen.line(LineKind.HEADER)))
