"""Everything but matches that one pass over one job's log collects, line by line, for the lines it is shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from triage.interfaces import LogSource
from triage.logs.checkout import CheckoutCommit
from triage.logs.columns import UNKNOWN_STEP
from triage.logs.ends import Ends
from triage.logs.headers import Header, HeaderReader
from triage.logs.landmarks import Mark
from triage.logs.lines import Seen, time_of
from triage.logs.pytest_errors import PytestErrors
from triage.logs.ranks import RankSummary
from triage.logs.steps import POST, spans
from triage.logs.steps import Mark as StepMark
from triage.logs.tracebacks import TracebackAssembler
from triage.logs.windows import lines_around, squashed
from triage.model.log import COMPLETE, SETUP, Command, Line, LineKind, LogReading, StepSpan, Traceback
from triage.model.run import Step

TAIL = 40
# Lines looked at one by one because a traceback, a header or a summary is open. Beyond, only landmarks are looked at.
_MOST_ATTENDED = 400_000
_EXIT_CODE = b"##[error]Process completed with exit code"


@dataclass(frozen=True, slots=True)
class Part:
    """The part of an input that belongs to one job: from `first` up to `end`, which is no longer in it.

    `last` is a line from which to look back: the last one of the input, else `end`. Of all three only number and
    offset count.
    """

    first: Line
    end: Line
    last: Line


class Reader:
    """Show it every landmark, and every line while it is `attentive`, in the order of the text."""

    def __init__(self) -> None:
        self.marks: list[StepMark] = []
        self._headers = HeaderReader()
        self._tracebacks = TracebackAssembler()
        self._pytest = PytestErrors()
        self._ranks = RankSummary()
        self._checkout = CheckoutCommit()
        self._commands: Ends[Command] = Ends(1500, 500)
        self._suspects: Ends[Seen] = Ends(150, 150)
        self._failure: Seen | None = None
        self._attended = 0
        self._column = ""
        # The lines of a header that is still open.
        self._held: list[tuple[Seen, Collection[Mark]]] = []

    @property
    def attentive(self) -> bool:
        wants = self._headers.open or self._tracebacks.attentive or self._ranks.attentive or self._checkout.attentive
        return wants and self._attended < _MOST_ATTENDED

    @property
    def in_header(self) -> bool:
        return self._headers.open

    def see(self, seen: Seen, found: Collection[Mark]) -> tuple[LineKind, Header]:
        """Returns the line's kind, which inside an open header is only final once the header closes."""
        self._attended += not found
        header = self._headers.see(seen)
        if header is Header.CLOSED:
            mark, commands = self._headers.close()
            self.marks.append(StepMark(mark.seen.number, time_of(mark.seen.stamp), f"Run {mark.title}"))
            for command in commands:
                self._commands.add(command)
            self._held.clear()
        if header is Header.OPEN:
            self._held.append((seen.kept(), found))
        if header in (Header.OPEN, Header.CLOSED):
            return LineKind.SCRIPT if seen.script else LineKind.HEADER, header
        self.release()
        # What pytest prints of a difference starts with a plus too.
        if Mark.XTRACE in found and not seen.parsed.pytest:
            self._commands.add(Command(seen.text.lstrip("+").strip(), seen.line(LineKind.XTRACE)))
            return LineKind.XTRACE, header
        self._output(seen, found)
        return seen.kind, header

    def release(self) -> None:
        """What a header held that turned out to be none."""
        held, self._held = self._held, []
        for seen, found in held:
            self._output(seen, found)

    def _output(self, seen: Seen, found: Collection[Mark]) -> None:
        self._tracebacks.see(seen)
        if seen.parsed.pytest or Mark.PYTEST_PLACE in found:
            self._pytest.see(seen)
        if self._ranks.attentive or Mark.TORCHRUN in found:
            self._ranks.see(seen)
        if self._checkout.attentive or Mark.CHECKOUT in found:
            self._checkout.see(seen)
        if seen.parsed.text.startswith(_EXIT_CODE):
            self._exit(seen)
        elif Mark.SUSPECT in found:
            self._suspects.add(seen.kept())
        self._step_of_runner(seen, found)

    def _exit(self, seen: Seen) -> None:
        self._failure = self._failure or seen
        if self.marks:
            self.marks[-1] = replace(self.marks[-1], failed=True)

    def _step_of_runner(self, seen: Seen, found: Collection[Mark]) -> None:
        text = seen.parsed.text
        title = ""
        if Mark.JOB_START in found and text.startswith(b"Current runner version:") and not self.marks:
            title = SETUP
        elif Mark.POST_STEP in found and text == b"Post job cleanup.":
            title = POST
        elif Mark.JOB_END in found and text == b"Cleaning up orphan processes":
            title = COMPLETE
        if title and seen.stamp:
            self.marks.append(StepMark(seen.number, time_of(seen.stamp), title))

    def column(self, seen: Seen) -> None:
        """gh's second column names the step of every line."""
        if seen.column != self._column and seen.column not in ("", UNKNOWN_STEP):
            self._column = seen.column
            self.marks.append(StepMark(seen.number, time_of(seen.stamp), seen.column))

    def reading(self, source: LogSource, name: str, part: Part, steps: tuple[StepSpan, ...]) -> LogReading:
        """Without matches."""
        placed = Placed(steps)
        return LogReading(
            name=name,
            lines=part.end.number - part.first.number,
            size=part.end.offset - part.first.offset,
            steps=steps,
            tracebacks=tuple(
                replace(traceback, error=placed.line(traceback.error)) for traceback in self._all_tracebacks()
            ),
            failed_ranks=tuple(self._ranks.found),
            commands=tuple(replace(command, line=placed.line(command.line)) for command in self._commands),
            suspects=tuple(placed.line(line) for line in self._all_suspects()),
            tail=self._tail(source, placed, part),
            tested_sha=self._checkout.sha,
            capped=tuple(self._capped()),
        )

    def spans(self, steps: Sequence[Step], last_line: int) -> tuple[StepSpan, ...]:
        return spans(self.marks, steps, last_line)

    def _all_tracebacks(self) -> list[Traceback]:
        return sorted([*self._tracebacks.found, *self._pytest.found], key=lambda traceback: traceback.last)

    def _all_suspects(self) -> list[Line]:
        """The lines shaped like an error, and those that end a traceback whatever their shape."""
        lines = {traceback.error.number: traceback.error for traceback in self._all_tracebacks()}
        lines |= {seen.number: seen.line() for seen in self._suspects}
        return [lines[number] for number in sorted(lines)]

    def _capped(self) -> list[str]:
        cut = {
            "tracebacks": self._tracebacks.capped or self._pytest.capped,
            "commands": self._commands.capped,
            "suspects": self._suspects.capped,
            "attention": self._attended >= _MOST_ATTENDED,
        }
        return [name for name, capped in cut.items() if capped]

    def _tail(self, source: LogSource, placed: Placed, part: Part) -> tuple[Line, ...]:
        at = self._failure.line() if self._failure else part.last
        around = lines_around(source, at.number, at.offset, TAIL, 0)
        inside = [line for line in around if part.first.number <= line.number < part.end.number]
        return tuple(placed.line(line) for line in squashed(inside))


class Placed:
    """Gives lines their step."""

    def __init__(self, steps: tuple[StepSpan, ...]) -> None:
        self._steps = steps

    def line(self, line: Line) -> Line:
        step = self.step(line.number)
        return replace(line, step=step) if step else line

    def step(self, number: int) -> StepSpan | None:
        return next((step for step in self._steps if step.first <= number <= step.last), None)
