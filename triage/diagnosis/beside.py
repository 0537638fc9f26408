"""Failures of other processes than the one whose exception ended the program: they stand beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from triage.diagnosis.candidates import Candidate, in_order
from triage.diagnosis.strengths import Strength
from triage.model.log import LogReading
from triage.model.signature import Rank

# Ray names the exception of the task that it ends the driver with, and the process that raised it.
_RAISED = re.compile(r"\bRayTaskError\((?P<kind>\w{1,80})\): [^\n]{0,40}ray::[^\n]{1,200}?\(pid=(?P<pid>[0-9]{1,10})\b")
_PID = re.compile(r"\bpid=([0-9]{1,10})\b")
# Faults of the code that raised them, whatever became of the other processes.
_OWN_FAULTS = frozenset({"AttributeError", "NameError", "UnboundLocalError", "TypeError", "ImportError"})
# What another process did not bring is often None here.
_OF_NOTHING = "NoneType"
_WHY = "another process's exception ended the program"


def set_beside(candidates: Sequence[Candidate], reading: LogReading) -> tuple[Candidate, ...]:
    """The candidates, in order; a root that only other processes printed is weaker where Ray ended the driver with a
    fault of the code in a process that did not print it."""
    raised = list(_raised(reading))
    if not raised or any(kind not in _OWN_FAULTS for kind, _ in raised) or _misses_something(candidates, raised):
        return tuple(candidates)
    guilty = {pid for _, pid in raised}
    told = (replace(c, strength=Strength.BESIDE, why=_WHY) if _of_others(c, guilty) else c for c in candidates)
    return tuple(in_order(told))


def _raised(reading: LogReading) -> Iterator[tuple[str, str]]:
    """Kind and process of each exception that reached the driver's own output."""
    for traceback in reading.tracebacks:
        found = _RAISED.search(traceback.error.text[:1000]) if not traceback.stream else None
        if found:
            yield found["kind"], found["pid"]


def _misses_something(candidates: Sequence[Candidate], raised: Iterable[tuple[str, str]]) -> bool:
    kinds = {kind for kind, _ in raised}
    texts = (c.line.text[:1000] for c in candidates if not c.line.stream)
    return any(_OF_NOTHING in text and any(f"{kind}: " in text for kind in kinds) for text in texts)


def _of_others(candidate: Candidate, guilty: set[str]) -> bool:
    if candidate.strength >= Strength.BESIDE or candidate.signature.rank is not Rank.ROOT:
        return False
    pids = [set(_PID.findall(stream)) for stream in candidate.streams]
    return all(pids) and not any(guilty & each for each in pids)
