"""Did anything fail at all? From the job's conclusion where it is known, else from what the log says at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from triage.diagnosis.clocks import Order
from triage.diagnosis.going_on import ended_well, worked_on
from triage.model.log import Line, LogReading, Probed, StepSpan, Traceback
from triage.model.run import FAILED_CONCLUSIONS, Job


class Ending(StrEnum):
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    UNCLEAR = "unclear"  # the text stops without saying how it went


@dataclass(frozen=True, slots=True)
class Outcome:
    """`failures` are the lines that say that something failed, in the order in which they were printed.

    `failed_steps` are the first lines of the steps in which the runner reported an error, where the log tells.
    `outlived`: only tracebacks and commands' exits say that it failed, and the log goes on for long after the last one.
    """

    ending: Ending
    failures: tuple[Line, ...] = ()
    failed_steps: frozenset[int] = frozenset()
    outlived: bool = False

    def step_failed(self, step: StepSpan | None) -> bool | None:
        """What the API says, else what the runner's own words show; None when neither says anything."""
        if step is None:
            return None
        if step.conclusion is not None:
            return step.conclusion in FAILED_CONCLUSIONS
        return step.first in self.failed_steps if self.failed_steps else None


# Level words of a line that was printed by something that went on; advice to set NCCL_DEBUG=INFO is none.
_MILD = re.compile(
    r"(?<!DEBUG=)(?<!LEVEL=)\b(?:WARNING|WARN|INFO|DEBUG|NOTICE)\b"
    r"|\b[A-Za-z]{0,40}Warning:|^\[?[WI]\d{3,4} |##\[(?:warning|notice)\]"
)
# How Python's warnings module prints, behind a path of any length.
_WARNED = re.compile(r"[^\s:]{1,400}:\d{1,6}: [A-Z]\w{0,60}Warning: ")
# "Failed: ": a kernel's own check, after which it ends the process, at whatever level the parent relays it.
# The runner says that its disk is full as a warning only, and a scanner what it found.
_GRAVE = re.compile(
    r"\b(?:ERROR|CRITICAL|FATAL|NCCL WARN)\b|##\[error\]|\bFailed: (?:\w+ error )?/|\brunning out of disk space\b"
    r"|\bFound (?:unverified|verified|unknown) \w{1,60} result\b"
)
# A line that begins with an exception's name says by itself how grave it is; its message may hold any word. The module
# that defines a package's exceptions tells one by another name.
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Za-z_]\w{0,60}(?:Error|Exception|Interrupt)\b"
    r"|(?:[A-Za-z_]\w{0,60}\.){1,8}(?:errors?|exc|exceptions?)\.[A-Z]\w{1,60}(?:: |$)"
)
# A name in quotes is none: there is a module that is called so.
_RETRIED = re.compile(r"(?i)\bwill (?:be )?retr(?:y|ied)|(?<!['\"`.])\bretrying\b")
_SURVIVED = re.compile(
    r"(?i)\bignor(?:e|ed|ing)\b|\bfall(?:ing|s|ed)? ?back\b|\bskipping\b"
    r"|\bexpected (?:error|failure|exception)|\b(?:best effort|non-fatal|harmless)\b"
)
# A test that provokes a failure says so behind it, also behind an exception's name.
_PROVOKED = re.compile(r"(?i)\((?:this is |as )?expected(?: by [^()\n]{1,60})?\)\s*\Z")
# pytest's words for a test that was left out, or that failed as it should: in its summary, and behind the test's name.
_NOT_FAILED = re.compile(r"(?:\S{1,400}::\S.{0,300} )?(?:XFAIL|XPASS|SKIPPED) (?:\S{1,400}::|\[[0-9]|\()")
# DeepSpeed links against libaio and cuFile to see whether they are there, and goes on without them
# (op_builder/builder.py, `has_function`).
_TRIED_OUT = re.compile(r"\bcannot find -l(?:aio|cufile)\b|\bLNK1181: [^\n]{0,60}'(?:aio|cufile)\.lib'")
# pip prints it as an error, installs what was asked for, and ends well (pip/_internal/commands/install.py).
INSTALLED_ANYWAY = "pip's dependency resolver does not currently take into account"
# A script that is shown, not run: what it would do where something had gone wrong.
_SCRIPTED = re.compile(r"(?:^|[;&|{]|\b(?:then|else|do))\s*exit [0-9]{1,3}[\s;)}]*$")
_LEVEL_COLUMNS = 100
# What a program that dies, its launcher and its siblings still say is shorter.
_LONG_AFTERLIFE = 60
# "3 passed, 2 warnings in 4.20s": pytest's last line, however the rest of it is worded.
_SESSION_END = re.compile(r"\b(?:passed|failed|errors?)\b[^\n]{0,200} in [0-9][0-9.]{0,11}s\b")
# What says that something failed, whatever was printed after it, and what a later success outweighs.
_CERTAIN = frozenset({"runner_error", "tests_failed", "stopped", "died"})
_OUTWEIGHED = frozenset({"exit_code", "command_failed"})
_SUCCESS = frozenset({"succeeded", "installed"})
# What an exception before it did not prevent; where nothing failed, it does not say how the log ended.
_SURVIVAL = frozenset({"served"})


def outcome_of(reading: LogReading, job: Job, order: Order) -> Outcome:
    sections = Sections.of(reading)
    certain = [hit.line for hit in reading.probed if hit.probe in _CERTAIN and not mild(hit.line)]
    certain += _rank_lines(reading)
    outweighed = [hit.line for hit in reading.probed if hit.probe in _OUTWEIGHED and _is_failure(hit)]
    ended = (t.error for t in reading.tracebacks if not t.ignored)
    outweighed += [error for error in ended if not mild(error) and not sections.passed(error)]
    failures = tuple(sorted((*certain, *outweighed), key=lambda line: order.place(line.number)))
    steps = _failed_steps(reading)
    if job.conclusion == "success" or (not job.failed and ended_well(reading)):
        return Outcome(Ending.SUCCEEDED)
    if job.failed or certain:
        return Outcome(Ending.FAILED, failures, steps)
    last_failure = max((order.place(line.number) for line in outweighed), default=None)
    troubles = [order.place(line.number) for line in _troubles(reading)]
    last_trouble = max((*troubles, *(order.place(line.number) for line in outweighed)), default=None)
    if last_trouble is not None and worked_on(reading, order, last_trouble):
        return Outcome(Ending.SUCCEEDED, failures, steps)
    known = _SUCCESS if last_failure is None else _SUCCESS | _SURVIVAL
    successes = (order.place(hit.line.number) for hit in reading.probed if hit.probe in known)
    last_success = max(successes, default=None)
    if last_success is not None and (last_failure is None or last_success > last_failure):
        troubled = any(place > last_success for place in troubles)
        return Outcome(Ending.UNCLEAR if troubled else Ending.SUCCEEDED, failures, steps)
    if last_failure is None:
        return Outcome(Ending.UNCLEAR, failures, steps)
    outlived = not order.newest_first and reading.lines - last_failure > _LONG_AFTERLIFE
    return Outcome(Ending.FAILED, failures, steps, outlived)


def _troubles(reading: LogReading) -> Iterator[Line]:
    """Lines that may be failures although nothing says how the log ended."""
    matched = (line for match in reading.matches for line in (match.line, *match.occurrences))
    return (line for line in (*matched, *reading.suspects) if not mild(line))


def mild(line: Line) -> str:
    """Why this line is one that its program survived, by its own words; "" when nothing says so."""
    if retried(line):
        return "it was tried again"
    if _NOT_FAILED.match(line.text):
        return "it is of a test that did not fail"
    raised = _RAISED.match(line.text) is not None
    head = line.prefix if raised else f"{line.prefix}{line.text[:_LEVEL_COLUMNS]}"
    if (_MILD.search(head) and not _GRAVE.search(head)) or _WARNED.match(line.text):
        return "it was printed as a warning"
    if _TRIED_OUT.search(line.text[:1000]):
        return "it tries out what the machine has"
    if INSTALLED_ANYWAY in line.text[:1000]:
        return "pip installs in spite of it"
    if (not raised and _SURVIVED.search(line.text[:1000])) or _PROVOKED.search(line.text[:1000]):
        return "its own words say that the program went on"
    return ""


def retried(line: Line) -> bool:
    """Whether the line says that something is tried again: in a failed log, that all tries may have failed alike."""
    return _RETRIED.search(line.text[:1000]) is not None


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of pytest's reports: first line of each and its name, in order of lines. `ignored` are the
    tracebacks of exceptions that Python could only print: stream, first and last line."""

    starts: tuple[tuple[int, str], ...]
    ignored: tuple[tuple[str, int, int], ...] = ()

    @classmethod
    def of(cls, reading: LogReading) -> Sections:
        hits = (hit for hit in reading.probed if hit.probe == "pytest_section" or _ends_session(hit))
        ignored = tuple((each.stream, each.first, each.last) for each in reading.tracebacks if each.ignored)
        return cls(tuple(sorted((hit.line.number, hit.captures.get("section", "")) for hit in hits)), ignored)

    def passed(self, line: Line) -> bool:
        """Whether the line is output of a test that passed or failed as it should, or of the list of warnings."""
        name = ""
        for start, section in self.starts:
            if start > line.number:
                break
            name = section
        return name in ("PASSES", "XPASSES", "XFAILURES", "warnings summary")

    def went_on(self, line: Line) -> str:
        """Why the program survived what the line says, where its traceback tells; "" otherwise."""
        within = (stream == line.stream and first <= line.number <= last for stream, first, last in self.ignored)
        return "Python ignored the exception, as it does in destructors" if any(within) else ""


def grouped(tracebacks: tuple[Traceback, ...]) -> tuple[tuple[Traceback, ...], ...]:
    """Tracebacks that hang together in one chain, the exception that came first in front."""
    groups: list[list[Traceback]] = []
    latest: dict[str, list[Traceback]] = {}
    for traceback in sorted(tracebacks, key=lambda t: t.first):
        group = latest.get(traceback.stream)
        if traceback.chain and group is not None:
            group.append(traceback)
        else:
            group = latest[traceback.stream] = [traceback]
            groups.append(group)
    return tuple(tuple(group) for group in groups)


def _failed_steps(reading: LogReading) -> frozenset[int]:
    reported = [hit.line.number for hit in reading.probed if hit.probe == "runner_error"]
    return frozenset(step.first for step in reading.steps if any(step.first <= n <= step.last for n in reported))


def _ends_session(hit: Probed) -> bool:
    """What is printed behind pytest's last line is none of its report."""
    return hit.probe in ("succeeded", "tests_failed") and _SESSION_END.search(hit.line.text) is not None


def _is_failure(hit: Probed) -> bool:
    if mild(hit.line) or _SCRIPTED.search(hit.line.text[:1000]):
        return False
    return hit.probe != "exit_code" or int(hit.captures.get("code") or 0) != 0


def _rank_lines(reading: LogReading) -> list[Line]:
    """torchrun's summary, entry by entry, as lines."""
    return [
        Line(rank.line, f"rank {rank.rank} exited with code {rank.exit_code}")
        for rank in reading.failed_ranks
        if rank.exit_code
    ]
