"""What printed errors look like: exceptions by name, words of failure, and words that only repeat it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from triage.diagnosis.ending import Sections, grouped, mild
from triage.model.log import Line, LogReading, Traceback

_SEEN = 2000
_TYPED = re.compile(r"^(?:E +|\s{1,12})?[\w.]*(?:Error|Exception|Interrupt|Failure|Fault)\b[:(]?|^[\w.]+Error: ")
_WORDS = re.compile(r"(?i)\b(?:fatal|panic|abort(?:ed)?|cannot|could not|unable to|failed|no such|not found|denied)\b")
_ERROR = re.compile(r"(?i)\berror\b")
# How the tools of other trades begin or word the line that says what went wrong: compilers and linkers, package
# managers, test runners, C and C++ runtimes, allocators, cluster and container tools.
_ANNOUNCED = re.compile(
    r"^\W{0,6}(?i:(?:(?!following)\w{1,12} )?error(?: \w{1,12}){0,3}|fatal|panic)(?:\[[\w-]{1,12}\])?: "
    r"|^[EF]\d{4} \d\d:\d\d:\d\d"
    r"|^E: |^(?:FAIL|FAILED|FAILURE)\b(?! +\[)|^\s{0,6}(?:[✕×] \S|● .{1,200} › )|^npm (?:ERR!|error) "
    r"|^\S{1,300}: (?i:fatal error|error(?: loading \w{1,16})?|fatal)(?: [A-Z]{1,4}\d{2,5})?: ?\S"
    r"|\(\d{1,6}\): (?:fatal )?error\b"
    r"|\.py::\S{1,200} - \w{1,60}Error: "
    r"|\b[Aa]ssert(?:ion)?\b.{0,120}\bfailed\b|\bfailed assertion\b|_ASSERT\(.{1,120}\) failed|\bCheck failed: "
    r"|\bpanicked at |\bterminate called |^\s{0,6}what\(\): |\bFatal Python error\b"
    r"|(?i:\bout of (?:\w{1,12} )?memory\b|\bnot enough (?:\w{1,12} )?(?:memory|space)\b|\bcan't malloc\b)"
    r"|(?i:\bcannot allocate\b|\bfailed to allocate\b|\bunmet dependencies\b|\bcould not be found\b)"
    r"|(?i:\btimed out waiting (?:for|on)\b|\bexits? with return code = -?[1-9])|\bTest timeout of \d"
)
# They only say that something failed, or that a process was taken down because another one had.
_HOLLOW = re.compile(
    r"(?i)exit(?:ed)?(?: with)?(?: code| status)|non-zero exit|see (?:above|stack trace|root cause)|core dumped"
    r"|\bchild ?failed|^error: command |^make(?:\[\d+\])?: |^##\[error\]process completed|cancellederror|deaderror"
    r"|^eoferror|actordied|worker (?:proc\w{0,20} )?died|sig\w{1,12} from a child|\bkilled(?:$| +\S)|failed to start\b"
    r"|keyboardinterrupt|\bsig(?:term|int)\b|\b(?:failed|unable) to load (?:the )?model\b|\bexiting due to\b"
    r"|^\W{0,4}(?:error: )?subprocess-exited-with-error|originates from a subprocess|build script failed"
    r"|^[\w.]{0,60}cellexecutionerror|#retracted_reqs|\btraceback \(most recent call last\)$|^error(?: message)?: ?$"
    r"|dependency resolver does not currently take|^unable to find image '\S{1,200}' locally"
    r"|did not complete successfully|^error: the (?:command|plugin)\b|^\W{0,4}failed: ?$|failed to run custom build"
    # A group of exceptions holds what went wrong; npm's code stands above the words.
    r"|\bexceptiongroup: |^\W{0,4}(?:error: +)?exception in (?:asgi application|callback\b|thread\b)"
    r"|\bcaught \w{1,60} in (?:dataloader worker process|pin memory thread|replica)\b"
    r"|task exception was never|^npm (?:err!|error) code \w+$"
)


def names_an_exception(line: Line) -> bool:
    return _TYPED.match(line.text[:_SEEN]) is not None


def worded_like_an_error(line: Line) -> bool:
    text = line.text[:_SEEN]
    return _ERROR.search(text) is not None or _WORDS.search(text) is not None


def announces_an_error(line: Line) -> bool:
    """Whether it begins or is worded as tools do when they say what went wrong, and not only holds such a word."""
    return _ANNOUNCED.search(line.text[:_SEEN]) is not None


def is_hollow(line: Line) -> bool:
    """Whether it only says that something failed, or that a process was taken down with another one."""
    return _HOLLOW.search(line.text[:_SEEN]) is not None


def root_of(group: Sequence[Traceback]) -> Traceback:
    """The first exception of a chain that says what went wrong."""
    return next((t for t in group if not is_hollow(t.error)), group[0])


def deaths(reading: LogReading, matched: Collection[int]) -> tuple[Line, ...]:
    """Lines that say that a process was killed, and at which nothing matched."""
    died = (hit.line for hit in reading.probed if hit.probe == "died" and not mild(hit.line))
    return tuple(line for line in died if line.number not in matched and not is_hollow(line))


def uncovered(reading: LogReading, matched: Collection[int]) -> tuple[Line, ...]:
    """Errors that ended a chain of tracebacks in which nothing at all matched, in order of lines."""
    sections = Sections.of(reading)
    errors = []
    for group in grouped(reading.tracebacks):
        held = any(t.first <= number <= t.last for t in group for number in matched)
        root = root_of(group).error
        if not held and not mild(root) and not sections.passed(root) and not is_hollow(root):
            errors.append(root)
    return tuple(sorted(errors, key=lambda line: line.number))
