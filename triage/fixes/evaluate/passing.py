"""Whether an argument appended to a call reaches the programs behind it, and how it arrives there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.evaluate.machine import Assumptions, Sentinel
from triage.fixes.evaluate.values import known
from triage.fixes.workflow.model import Job
from triage.interfaces import Tree
from triage.model.diagnosis import Facts

_FIRST, _SECOND = "triage.sentinel=first", "second"


class Verdict(StrEnum):
    ALL = "all"
    SOME = "some"
    NONE = "none"
    UNKNOWN = "unknown"


class Manner(StrEnum):
    """DIRECT: the call is the program. QUOTED: `"$@"`, as it was. UNQUOTED: `$@`, split at blanks and matched against
    files, and an empty one is gone. JOINED: inside a longer text, such as `"$*"`."""

    DIRECT = "direct"
    QUOTED = "quoted"
    UNQUOTED = "unquoted"
    JOINED = "joined"
    ABSENT = ""


@dataclass(frozen=True, slots=True)
class PassThrough:
    """`reached` and `missed` are the programs behind the call. `trailing` are arguments that follow the passed one in
    some program: what they set wins. `manner` is the worst over all programs reached."""

    verdict: Verdict
    manner: Manner
    reached: tuple[Invocation, ...] = ()
    missed: tuple[Invocation, ...] = ()
    trailing: tuple[str, ...] = ()
    reason: str = ""


def pass_through(
    tree: Tree,
    job: Job,
    call: Call,
    facts: Facts = Facts(),
    wanted: Callable[[Invocation], bool] = lambda _: True,
    assumptions: Assumptions = Assumptions(),
) -> PassThrough:
    """Evaluates the job again with an argument of two words appended to `call`, and looks for it in the arguments of
    every program that is `wanted` and started by the call."""
    sentinel = Sentinel(call.key, known(f"{_FIRST} {_SECOND}"))
    evaluation = evaluate_job(tree, job, facts, assumptions, sentinel)
    behind = [one for one in evaluation.invocations if any(each.key == call.key for each in one.calls) and wanted(one)]
    if not behind:
        return PassThrough(Verdict.UNKNOWN, Manner.ABSENT, reason="no such program is seen behind this call")
    manners = [_manner(one, call) for one in behind]
    reached = tuple(one for one, manner in zip(behind, manners, strict=True) if manner is not Manner.ABSENT)
    missed = tuple(one for one, manner in zip(behind, manners, strict=True) if manner is Manner.ABSENT)
    verdict = _verdict(reached, missed)
    arrived = [manner for manner in manners if manner is not Manner.ABSENT]
    worst = max(arrived, key=list(Manner).index, default=Manner.ABSENT)
    return PassThrough(verdict, worst, reached, missed, _trailing(reached))


def _verdict(reached: Sequence[Invocation], missed: Sequence[Invocation]) -> Verdict:
    """An unknown number of arguments may hold the one that is missed."""
    if any(value.many for one in missed for value in one.argv):
        return Verdict.UNKNOWN
    if not missed:
        return Verdict.ALL
    return Verdict.SOME if reached else Verdict.NONE


def _manner(invocation: Invocation, call: Call) -> Manner:
    texts = [str(value) for value in invocation.argv]
    if f"{_FIRST} {_SECOND}" in texts:
        return Manner.DIRECT if invocation.calls[-1].key == call.key else Manner.QUOTED
    if _FIRST in texts:
        return Manner.UNQUOTED
    return Manner.JOINED if any(_FIRST in text for text in texts) else Manner.ABSENT


def _trailing(reached: Sequence[Invocation]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for invocation in reached:
        texts = [str(value) for value in invocation.argv]
        last = max(at for at, text in enumerate(texts) if _FIRST in text or text == _SECOND)
        found |= dict.fromkeys(texts[last + 1 :])
    return tuple(found)
