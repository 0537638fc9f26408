"""What a job printed: lines with their facts, steps, tracebacks, commands, and the matches found in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

# The runner's first and last step, by the names that GitHub gives them.
SETUP, COMPLETE = "Set up job", "Complete job"


class LineKind(StrEnum):
    """What a line is. Only OUTPUT, MARKER and PROGRESS can be evidence of a failure."""

    OUTPUT = "output"
    SCRIPT = "script"  # a step's own source, echoed by the runner inside its header
    HEADER = "header"  # `##[group]Run ...`, with:, env:, shell:
    XTRACE = "xtrace"  # `+ command`: what a shell really ran
    MARKER = "marker"  # `##[error]`, `##[warning]`: the runner speaks, or a program that imitates it
    PROGRESS = "progress"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class StepSpan:
    """Lines `first`..`last` (raw, from 1, both kept) that belong to a step; number 0 when the API did not say."""

    number: int
    name: str
    first: int
    last: int
    conclusion: str | None = None
    confidence: Confidence = Confidence.MEDIUM


@dataclass(frozen=True, slots=True)
class Line:
    """One raw line of the input.

    `number` counts raw lines from 1; `offset` is the byte at which the raw line starts in the decoded source.
    `text` is cleaned: one stamp, escape sequences, the stream's prefix and control characters are gone.
    `stream` is "" for the job's own output, else one rank, worker or process: "rank0", "WorkerDict pid=123".
    """

    number: int
    text: str
    offset: int = 0
    time: datetime | None = None
    stream: str = ""
    step: StepSpan | None = None
    kind: LineKind = LineKind.OUTPUT
    # The last columns count in `text`: where in this line a match starts and ends.
    start: int = 0
    end: int = 0
    # What was taken off between the stamp and `text`: streams, and a logger's level and clock.
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A signature's condition held. `line` is its evidence; `lines` are all conditions' lines, in order.

    `hits` counts every line that held the evidence condition, also those beyond the cap of stored ones.
    `occurrences` are the stored hits of the evidence condition (first ones, and the last), one per stream at least.
    """

    signature: str
    line: Line
    captures: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    occurrences: tuple[Line, ...] = ()
    hits: int = 1

    def only(self, keep: Callable[[Line], bool]) -> Match | None:
        """With those of its lines that `keep` holds for, the first as its evidence; None where it holds for none."""
        lines = [line for line in (self.line, *self.occurrences) if keep(line)]
        return replace(self, line=lines[0], occurrences=tuple(lines)) if lines else None


@dataclass(frozen=True, slots=True)
class Said:
    """The text of an annotation that tells of a failure, and the signatures that hold on it."""

    text: str
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class Probed:
    """A line that a probe (a named pattern that is no signature) hit."""

    probe: str
    line: Line
    captures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Traceback:
    """A Python traceback assembled inside one stream.

    `error` is the line that names the exception. `chain` is how it hangs on the traceback printed before it in the
    same stream: "" (none), "cause" (direct cause) or "context" (during handling). `wraps` is what a RayTaskError(X)
    wraps. `rank` is parsed from the stream where it names one. `ignored`: Python could only print it, as
    in a destructor, and the program went on. `below` is the line on which the message begins where that is not the
    error's: the message begins with a line break.
    """

    first: int
    last: int
    stream: str
    error: Line
    error_type: str
    message: str
    frames: tuple[Frame, ...] = ()
    chain: str = ""
    wraps: str = ""
    ignored: bool = False
    below: tuple[Line, ...] = ()

    @property
    def telling(self) -> Line:
        """The line that says what went wrong."""
        return self.below[0] if self.below else self.error


@dataclass(frozen=True, slots=True)
class FailedRank:
    """One entry of torchrun's summary."""

    rank: int
    exit_code: int
    root: bool
    host: str = ""
    pid: int = 0
    time: datetime | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a shell really ran (xtrace), or that a step's header announces."""

    text: str
    line: Line


@dataclass(frozen=True, slots=True)
class LogReading:
    """Everything that one pass over one job's log found. Every tuple is capped; `capped` names those that were cut."""

    name: str
    lines: int
    size: int
    steps: tuple[StepSpan, ...] = ()
    matches: tuple[Match, ...] = ()
    probed: tuple[Probed, ...] = ()
    tracebacks: tuple[Traceback, ...] = ()
    failed_ranks: tuple[FailedRank, ...] = ()
    commands: tuple[Command, ...] = ()
    # Lines shaped like an error, first ones and last ones: where to look when no signature matched.
    suspects: tuple[Line, ...] = ()
    # The last lines of output before the failure, for context.
    tail: tuple[Line, ...] = ()
    tested_sha: str = ""
    is_job_log: bool = False
    capped: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
