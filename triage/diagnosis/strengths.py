"""How surely a program went down with a line, and which of a signature's hits is its evidence."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import IntEnum

from triage.diagnosis.ending import Ending, Outcome, Sections, mild
from triage.diagnosis.going_on import trained_on
from triage.model.log import Line, LogReading, Match
from triage.model.signature import Printer, Signature

_ERROR_SHAPE = re.compile(
    r"(?:Error|Exception|Interrupt)\b|\berrors\.|\b(?:ERROR|FATAL|CRITICAL|FAILED|[Ff]ailed|[Ff]atal|[Ee]rror|Assertion|terminate)\b"
    r"|\[?E\d{3,4} "
)
# In a traceback, and in the excerpt of a linter: `15 |     raise ...`.
_SOURCE = re.compile(
    r"(?:\s{2,}|> {2,}|\s{0,8}[0-9]{1,6} \|\s{1,80})(?:raise|return|assert|from|import|if|with|self)\b"
)
# Before what a help text, or the page of a tool, quotes.
_TELLS = re.compile(r"\b(?:[Ii]f|[Ww]hen(?:ever)?) you (?:see|get|encounter|hit|run into|receive)\b")
_BEFORE = 120
# After these the device refuses every further call: a destructor is often the first that can say so.
_LASTING = frozenset({"gpu-kernel-fault", "gpu-hardware", "hip-error"})
# A bare complaint that so many lines follow, in a log that does not end in a failure, was survived.
_AFTERLIFE = 30
# Traps, `docker build`'s excerpt of the Dockerfile and usage texts are shorter.
_AFTERWORDS = 40


class Strength(IntEnum):
    """How surely the program went down with this line. DROPPED: it surely did not."""

    STRONG = 0
    OUTLIVED = 1  # words of a command or a training that went on after them
    GREEN = 2  # in a step that ended green
    BESIDE = 3  # in another process than the one whose exception ended the program
    WEAK = 4
    DROPPED = 5


def evidence_of(match: Match, sections: Sections) -> Match:
    """The match with its evidence at the first hit that its program did not survive.

    A warning may come before the failure that it announces. A traceback shows the source that raised, message and
    all, before the message itself: that one is meant.
    """
    grave = (line for line in (match.line, *match.occurrences) if not (_survived(line) or sections.went_on(line)))
    return replace(match, line=next(grave, match.line))


def _survived(line: Line) -> str:
    stop = line.start if line.end else _BEFORE  # of an occurrence only the line is known
    if _TELLS.search(line.text[max(0, stop - _BEFORE) : stop]):
        return "a text tells what to do about it"
    return mild(line) or ("it is a line of source that is shown" if _is_source(line) else "")


def _is_source(line: Line) -> bool:
    return _SOURCE.match(line.text) is not None


def _went_on(line: Line, signature: Signature, sections: Sections) -> str:
    return "" if signature.family in _LASTING else sections.went_on(line)


def means_mild(signature: Signature) -> bool:
    """Whether a signature is about lines that report no trouble by themselves: those of a hang, whose condition says
    that nothing came after them, and warnings that a later line of the same condition turns into the failure."""
    examples = signature.examples_match
    told = (any(mild(Line(1, line)) for line in example.splitlines()) for example in examples)
    return signature.family == "hang" or (bool(examples) and all(told))


def strength_of(
    match: Match, signature: Signature, sections: Sections, outcome: Outcome, reading: LogReading
) -> tuple[Strength, str]:
    """The strength, and why it is not STRONG."""
    line = match.line
    if sections.passed(line):
        return Strength.DROPPED, "a test that passed printed it"
    words = "" if means_mild(signature) else _survived(line) or _went_on(line, signature, sections)
    if outcome.ending is Ending.UNCLEAR:
        if words:
            return Strength.DROPPED, words
        last = max(hit.number for hit in (line, *match.occurrences))
        if not _ERROR_SHAPE.search(line.text[:2000]) and reading.lines - last > _AFTERLIFE:
            return Strength.DROPPED, "the program went on, and nothing failed"
    if words:
        return Strength.WEAK, words
    if outcome.step_failed(line.step) is False:
        return Strength.GREEN, "its step did not fail"
    if signature.printed_by is Printer.COMMAND and _script_went_on(match, outcome, reading):
        return Strength.OUTLIVED, "the script went on after it"
    if signature.family not in _LASTING and trained_on(reading, max((line, *match.occurrences), key=_number)):
        return Strength.OUTLIVED, "the training went on after it"
    return Strength.STRONG, ""


def _number(line: Line) -> int:
    return line.number


def _script_went_on(match: Match, outcome: Outcome, reading: LogReading) -> bool:
    """Whether the step printed more after the last such line than what the end of a script prints. A log without steps,
    as of a cluster's job, is of one script."""
    line = match.line
    if reading.steps and (line.step is None or not outcome.step_failed(line.step)):
        return False
    last = max(hit.number for hit in (line, *match.occurrences) if hit.step == line.step)
    if any(each.stream == line.stream and each.first <= last <= each.last for each in reading.tracebacks):
        return False
    ends = [hit.line.number for hit in reading.probed if hit.probe == "runner_error" and hit.line.number > last]
    return min(ends, default=line.step.last if line.step is not None else reading.lines) - last > _AFTERWORDS
