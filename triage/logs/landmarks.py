"""Lines that a reading needs whether or not a signature matches: the runner's marks, tracebacks, commands, errors.

Each landmark has two RE2 patterns: `locate` finds candidates in a block of visible lines (stamps and prefixes still
there), `exact` decides on a parsed line's text; it is "" where something else decides. What is accepted in the end
must have been located.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Mark(Enum):
    RUNNER = auto()  # `##[...]`
    JOB_START = auto()
    POST_STEP = auto()
    JOB_END = auto()
    TRACEBACK = auto()
    CHAIN = auto()
    PYTEST_ERROR = auto()
    PYTEST_PLACE = auto()
    TORCHRUN = auto()
    XTRACE = auto()
    CHECKOUT = auto()
    SUSPECT = auto()


@dataclass(frozen=True, slots=True)
class Landmark:
    mark: Mark
    locate: str
    exact: str


def _literal(mark: Mark, pattern: str) -> Landmark:
    return Landmark(mark, pattern, pattern)


LANDMARKS = (
    _literal(Mark.RUNNER, r"##\["),
    _literal(Mark.JOB_START, r"Current runner version: '"),
    _literal(Mark.POST_STEP, r"Post job cleanup\."),
    _literal(Mark.JOB_END, r"Cleaning up orphan processes"),
    _literal(Mark.TRACEBACK, r"Traceback \(most recent call last\)"),
    _literal(
        Mark.CHAIN,
        r"The above exception was the direct cause|During handling of the above exception|Exception ignored in",
    ),
    # The text has lost pytest's `E   `: the parsed line says whether it was there.
    Landmark(Mark.PYTEST_ERROR, r"(?m)(?:^|[\t )\]:])E   ", ""),
    _literal(Mark.PYTEST_PLACE, r"\.py:\d+: (?:in |[A-Z]\w+$)"),
    _literal(Mark.TORCHRUN, r"Root Cause \(first observed failure\)|ChildFailedError"),
    Landmark(Mark.XTRACE, r"(?m)(?:^|Z |\t|\) |\]:? ?|#\d+ [\d.]+ |E   +)\+{1,8} [^\s+]", r"^\+{1,8} [^\s+]"),
    _literal(Mark.CHECKOUT, r"log -1 --format=.?%H|HEAD is now at [0-9a-f]{7}"),
    _literal(
        Mark.SUSPECT,
        r"\w(?:Error|Exception|Interrupt|Failure)\b|\b[Ee]rror\b ?:|\bERROR\b|\b(?i:fatal|panic) ?:|\bFAILED\b|\bFAIL:"
        r"|##\[error\]|[Aa]ssertion.* failed|\bKilled\b|[Ss]egmentation fault|Bus error|core dumped"
        r"|\bSIG(?:KILL|SEGV|ABRT|BUS|TERM)\b|terminate called|\bAborted\b|command not found|No such file or directory"
        r"|[Pp]ermission denied|cannot open shared object|timed out|No space left|\b[Cc]ould not "
        r"|[Ww]atchdog caught|\bError (?:at|response|in) |(?i:cuda|hip|nccl) failure|\bnot found\b|\bdenied\b"
        r"|rate limit exceeded|no installation candidate",
    ),
)
