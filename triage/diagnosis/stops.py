"""What stops a job from outside, as a time limit does: what it explains, and what had gone wrong before it."""

from __future__ import annotations

from triage.diagnosis.candidates import CHECKS, Candidate
from triage.diagnosis.shapes import is_hollow
from triage.diagnosis.strengths import Strength
from triage.diagnosis.without_log import STOPS
from triage.model.log import Line
from triage.model.signature import Rank

# A job that goes on for so many lines after an error was not held up by it.
_HELD_UP = 200
# A process that is told to end says its last words, tracebacks too, within so many seconds before the stop is reported.
_LAST_WORDS_SECONDS = 15.0


def is_stop(candidate: Candidate) -> bool:
    return candidate.signature.family in STOPS and candidate.signature.rank is Rank.ROOT


def explains_to(stop: Candidate, other: Candidate) -> bool:
    """Whether an edge of `stop` holds for `other`: it interrupts and cuts tests short, and causes nothing before it."""
    family = other.signature.family
    if family in STOPS | CHECKS or other.signature.rank is Rank.WRAPPER or other.chain == stop.chain >= 0:
        return True
    return not went_wrong_before(other.line, other.place, stop)


def holds_up(other: Candidate, stop: Candidate) -> bool:
    """Whether `other` is a failure for which the job may have waited until `stop` ended it."""
    family = other.signature.family
    if family in STOPS | CHECKS or other.strength is not Strength.STRONG or other.chain == stop.chain >= 0:
        return False
    return went_wrong_before(other.line, other.place, stop)


def went_wrong_before(line: Line, place: int, stop: Candidate) -> bool:
    """Whether this error came before `stop`, the job fell silent after it, and it is no echo of the end."""
    if not 0 < stop.place - place <= _HELD_UP or is_hollow(line):
        return False
    if line.time is None or stop.line.time is None:
        return True
    return (stop.line.time - line.time).total_seconds() > _LAST_WORDS_SECONDS
