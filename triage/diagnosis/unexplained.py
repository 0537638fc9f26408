"""When no signature explains a failure: the best line to look at, and why it looks like the cause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import INSTALLED_ANYWAY, Ending, Outcome, Sections, grouped, mild
from triage.diagnosis.nearest import nearest
from triage.diagnosis.settings import Context
from triage.diagnosis.shapes import (
    announces_an_error,
    is_hollow,
    names_an_exception,
    root_of,
    worded_like_an_error,
)
from triage.model.diagnosis import Unexplained
from triage.model.log import COMPLETE, Line, LineKind, LogReading
from triage.model.signature import Catalogue

_CONTEXT_BEFORE, _CONTEXT_AFTER = 6, 4
# In a log that does not say how it ended, an error with more lines than this after it was survived.
_AFTERLIFE = 60
_HEADING = 1000
_EVIDENCE = (LineKind.OUTPUT, LineKind.MARKER, LineKind.PROGRESS)
_LOOPS = re.compile(r"(?i)\bsleep(?:ing)? (?:for )?\d|\bretry(?:ing)?\b|\btrying again\b|\battempt \d")
_CHANGING = re.compile(r"0x[0-9a-f]+|\d+")


@dataclass(frozen=True, slots=True)
class _Scored:
    """`fatal`: it names an exception or announces an error, and nothing says that it was survived."""

    line: Line
    score: float
    whys: tuple[str, ...]
    fatal: bool


def unexplained_of(
    reading: LogReading,
    catalogue: Catalogue,
    order: Order,
    outcome: Outcome,
    context: Context,
    hollow: Collection[int] = (),
    green: Collection[str] = (),
) -> Unexplained | None:
    """The best line, or None when nothing says that anything failed.

    A job that failed without a word, as those do that hang until something stops them, is shown where it stopped.

    `hollow` are lines at which a wrapper matched; `green` holds the lines of the last green log of the same job, each
    as `novel_form` gives them.
    """
    scored = list(_scored(reading, outcome, order, frozenset(hollow), green))
    if outcome.ending is Ending.UNCLEAR:
        scored = [each for each in scored if each.fatal and reading.lines - each.line.number <= _AFTERLIFE]
    if not scored:
        return None
    # Also the best of bad ones: a failed job has a cause somewhere.
    best = max(scored, key=lambda each: (each.score, -order.place(each.line.number)))
    line = next((t.telling for t in reading.tracebacks if t.error.number == best.line.number), best.line)
    around = context(line, _CONTEXT_BEFORE, _CONTEXT_AFTER)
    near = nearest(line.text, catalogue)
    return Unexplained(line, round(best.score, 2), ", ".join(best.whys), around, near)


def novel_form(text: str) -> str:
    """A line without its figures: two runs of one job print the same lines with other figures in them."""
    return _CHANGING.sub("#", text.strip().lower())


def _scored(
    reading: LogReading, outcome: Outcome, order: Order, hollow: frozenset[int], green: Collection[str]
) -> Iterator[_Scored]:
    sections = Sections.of(reading)
    ends = _traceback_ends(reading)
    waited = _waited(reading)
    ended = {hit.line.number for hit in reading.probed if hit.probe in ("died", "stopped") and not mild(hit.line)}
    reported = _reported(reading, order)
    lines = {line.number: line for line in (*outcome.failures, *reading.suspects, *reading.tail)}
    lines |= {traceback.error.number: traceback.error for traceback in reading.tracebacks}
    last = next((line for line in reversed(reading.tail) if line.kind is LineKind.OUTPUT and line.text.strip()), None)
    for line in lines.values():
        if line.kind not in _EVIDENCE or sections.passed(line) or not line.text.strip() or _is_heading(line):
            continue
        parts = _parts(line, outcome, ends, hollow, green)
        if line.number in ended and not is_hollow(line):
            parts.append((30, "a process died here, or was stopped"))
        elif line.number in ended and not parts:
            parts.append((5, "a process was taken down here"))
        elif line is last and not parts and not (reading.tracebacks and mild(line)):
            parts.append((30 if outcome.step_failed(line.step) else 10, "the last line before the failure"))
        if parts and (words := sections.went_on(line)):
            parts.append((-60, words))
        if parts and reported and order.place(line.number) > reported:
            # Unless its own step failed too: a step may be allowed to fail, and the job goes on.
            points = -25 if outcome.step_failed(line.step) else -40
            parts.append((points, "the runner had reported a failure before"))
        if parts:
            score = sum(points for points, _ in parts)
            announced = announces_an_error(line) and not is_hollow(line) and line.number not in waited
            survived = mild(line) or sections.went_on(line)
            fatal = (line.number in ended or names_an_exception(line) or announced) and not survived
            yield _Scored(line, score, tuple(why for _, why in parts), fatal)


def _is_heading(line: Line) -> bool:
    """What the runner prints around a group names what it runs, and pip's heading over conflicts that it lives with
    names none of them: not what went wrong."""
    return line.text.startswith(("##[group]", "##[endgroup]")) or INSTALLED_ANYWAY in line.text[:_HEADING]


def _waited(reading: LogReading) -> frozenset[int]:
    """Lines of the end beside which a loop says that it waits and tries again; all of them where the runner says that
    the job is over and never said that anything failed."""
    if any(step.name == COMPLETE for step in reading.steps) and not any(
        h.probe == "runner_error" for h in reading.probed
    ):
        return frozenset(line.number for line in (*reading.suspects, *reading.tail))
    loops = [line.number for line in reading.tail if _LOOPS.search(line.text[:1000])]
    return frozenset(number + beside for number in loops for beside in (-1, 0, 1))


def _traceback_ends(reading: LogReading) -> dict[int, str]:
    """Line of each traceback's error -> what it is: the one that its chain began with, or a later one."""
    ends = {}
    # Ray names what it wraps and prints the remote traceback below: that one says what went wrong.
    remote = {traceback.first for traceback in reading.tracebacks}
    for group in grouped(reading.tracebacks):
        root = root_of(group)
        for traceback in group:
            end = traceback is root and not (traceback.wraps and traceback.last + 1 in remote)
            ends[traceback.error.number] = "the end of a traceback" if end else "another link of a chain"
    return ends


def _reported(reading: LogReading, order: Order) -> int:
    """Where the runner first said that it is over: what follows are other steps, and cleaning up. 0: nowhere."""
    said = {hit.line.number for hit in reading.probed if hit.probe == "runner_error"}
    over = (hit.line.number for hit in reading.probed if hit.probe in ("exit_code", "stopped"))
    return min((order.place(number) for number in over if number in said), default=0)


def _parts(
    line: Line, outcome: Outcome, ends: dict[int, str], hollow: frozenset[int], green: Collection[str]
) -> list[tuple[float, str]]:
    """Points for and against a line, each with its reason. Empty when nothing in it is shaped like an error."""
    parts: list[tuple[float, str]] = []
    only_repeats = line.number in hollow or is_hollow(line)
    if line.number in ends and not only_repeats:
        parts.append((50 if "end" in ends[line.number] else 35, ends[line.number]))
    elif line.number in ends:
        parts.append((5, ends[line.number]))
    if names_an_exception(line):
        parts.append((25, "it names an exception"))
    if announces_an_error(line):
        parts.append((25, "it says what went wrong as tools do"))
    elif worded_like_an_error(line):
        parts.append((15, "it is worded like an error"))
    if not parts:
        return []
    if (failed := outcome.step_failed(line.step)) is not None:
        parts.append((20, "its step failed") if failed else (-20, "its step did not fail"))
    if words := mild(line):
        parts.append((-40, words))
    if only_repeats:
        parts.append((-30, "it only says that something failed"))
    if green:
        known = novel_form(line.text) in green
        parts.append((-60, "the last green log has it too") if known else (15, "the last green log does not have it"))
    return parts
