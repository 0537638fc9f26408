"""Which of the things that matched is the root cause, which follow from it, and why."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from triage.diagnosis.candidates import Candidate, Identity
from triage.diagnosis.clocks import clock_of, close
from triage.diagnosis.ending import retried
from triage.diagnosis.reasons import reason_of
from triage.diagnosis.stops import explains_to, holds_up, is_stop
from triage.diagnosis.strengths import Strength
from triage.model.diagnosis import Cause, Consequence
from triage.model.log import Confidence, FailedRank
from triage.model.signature import Rank, Status

# A client says that the other side is gone. What it was waiting for may have said before what had gone wrong.
_HUNG_UP = re.compile(
    r"\b(?:RemoteDisconnected|ServerDisconnectedError|RemoteProtocolError)\b"
    r"|\bConnection (?:aborted|reset by peer|refused)"
)
_OWN_FAULTS = frozenset({"code-error", "config-error"})
# A part of the path of whatever an installer put there: site-packages, dist-packages.
_INSTALLED = "-packages/"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A cause's candidate, why it was chosen, and what follows from it."""

    candidate: Candidate
    reason: str
    consequences: tuple[Candidate, ...] = ()


def rank(
    candidates: Sequence[Candidate], explains: Mapping[str, frozenset[str]], failed_ranks: Sequence[FailedRank] = ()
) -> tuple[Ranked, ...]:
    """Causes, the root first. Empty when nothing but wrappers matched: those only repeat that something failed."""
    explained = {c.identity: by for c in candidates if (by := _explainer(c, candidates, explains)) is not None}
    free = [c for c in candidates if c.identity not in explained and c.signature.rank is not Rank.WRAPPER]
    if not free:
        return ()
    first, tie = _settled(free, failed_ranks)
    causes = [first, *(c for c in free if c is not first and _stands_alone(c, first, free))]
    rest = [c for c in candidates if c not in causes and not _same_evidence(c, causes)]
    ranked = []
    for cause in causes:
        consequences = tuple(c for c in rest if _belongs(c, cause, causes, explained))
        reason = reason_of(cause, first, free, consequences, explained, tie)
        ranked.append(Ranked(cause, reason, consequences))
    return tuple(ranked)


def cause_of(ranked: Ranked, certain: bool) -> Cause:
    """`certain`: the log or the API says that the job failed."""
    candidate = ranked.candidate
    signature, match = candidate.signature, candidate.match
    return replace(
        Cause.of(signature, match.line, ranked.reason, _confidence(ranked, certain), match.captures),
        id=cause_id(signature.id, candidate.fingerprint),
        ranks=candidate.ranks,
        streams=candidate.streams,
        consequences=tuple(Consequence(c.signature.id, c.line) for c in ranked.consequences),
        hits=match.hits,
    )


def cause_id(signature: str, fingerprint: Sequence[tuple[str, str]]) -> str:
    """Stable over jobs and runs: the signature, and a digest of the captures that tell two failures apart."""
    if not fingerprint:
        return signature
    text = "\0".join(f"{name}={value}" for name, value in fingerprint)
    return f"{signature}~{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _explainer(
    candidate: Candidate, candidates: Sequence[Candidate], explains: Mapping[str, frozenset[str]]
) -> Candidate | None:
    """The first candidate that explains this one.

    What was survived explains nothing that was not, unless it was tried again until this came of it.
    """
    able = (o for o in candidates if o.strength <= max(candidate.strength, Strength.GREEN) or retried(o.line))
    edges = (
        other
        for other in able
        if candidate.signature.id in explains.get(other.signature.id, ()) and not _hung_up_after(candidate, other)
    )
    return next((other for other in edges if not is_stop(other) or explains_to(other, candidate)), None)


def _settled(free: Sequence[Candidate], failed_ranks: Sequence[FailedRank]) -> tuple[Candidate, str]:
    """The first candidate, unless another stream's clock, or torchrun's summary, says that it came earlier.

    A check that failed in an earlier step than that of the first root is no symptom of it, nor is what a job had met
    before something stopped it from outside.
    """
    first = free[0]
    if is_stop(first) and (waited_for := [c for c in free if holds_up(c, first)]):
        return min(waited_for, key=lambda c: c.place), "the job was stopped only after it"
    if earlier := [c for c in free if _failed_before(c, first)]:
        return min(earlier, key=lambda c: c.place), "an earlier step had failed because of it"
    if answered := [c for c in free if _hung_up_after(c, first)]:
        return min(answered, key=lambda c: c.place), "a client lost its server only after it"
    rivals = [
        c
        for c in free[1:]
        if c.strength == first.strength and c.signature.rank is first.signature.rank and close(c.line, first.line)
    ]
    mine = clock_of(first.line)
    for rival in rivals:
        theirs = clock_of(rival.line)
        if mine and theirs and theirs < mine and first.line.time != rival.line.time:
            return rival, "its process's clock is the earliest"
    roots = {entry.rank for entry in failed_ranks if entry.root}
    if rivals and roots and not roots.intersection(first.ranks):
        for rival in rivals:
            if roots.intersection(rival.ranks):
                return rival, "torchrun names its rank as the first that failed"
    return first, ""


def _failed_before(candidate: Candidate, first: Candidate) -> bool:
    """Whether it is a check's verdict in an earlier step, of which nothing says that it did not fail."""
    one, other = candidate.line.step, first.line.step
    if one is None or other is None or not candidate.stands_for_itself or candidate.strength is not Strength.STRONG:
        return False
    return one.last < other.first and first.strength is Strength.STRONG


def _hung_up_after(candidate: Candidate, first: Candidate) -> bool:
    """Whether it is an exception of the program's own, after which, in the same step, a client lost its connection."""
    if first.signature.family != "network" or not _HUNG_UP.search(first.line.text[:1000]):
        return False
    apart = 0 <= candidate.chain != first.chain and candidate.line.step == first.line.step
    strong = candidate.strength is first.strength is Strength.STRONG
    return apart and strong and candidate.place < first.place and candidate.signature.family in _OWN_FAULTS


def _stands_alone(candidate: Candidate, first: Candidate, free: Sequence[Candidate]) -> bool:
    """A second root, or a check, is a cause of its own in another failed step; a root also as a failure of its own in
    the job's output.

    What another process printed later, or the same chain of exceptions, most likely followed from the first.
    """
    if not candidate.stands_for_itself or candidate.strength is not Strength.STRONG:
        return False
    if _same_evidence(candidate, [c for c in free if c is not candidate and c.key < candidate.key]):
        return False
    one, other = first.line.step, candidate.line.step
    if one is not None and other is not None and one.first != other.first:
        return True
    if candidate.signature.rank is not Rank.ROOT:
        return False
    return first.line.stream == candidate.line.stream == "" and first.chain >= 0 and candidate.chain >= 0


def _same_evidence(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another one already speaks for this line, or for this chain of exceptions."""
    return any(
        candidate.line.number == other.line.number or (candidate.chain == other.chain >= 0 and candidate is not other)
        for other in others
    )


def _belongs(
    candidate: Candidate,
    cause: Candidate,
    causes: Sequence[Candidate],
    explained: Mapping[Identity, Candidate],
) -> bool:
    """Each consequence is listed once: under what explains it, else under the last cause before it, else the first."""
    by = explained.get(candidate.identity)
    while by is not None and by not in causes:
        by = explained.get(by.identity)
    if by is not None:
        return by is cause
    before = [c for c in causes if c.place <= candidate.place]
    return cause is (before[-1] if before else causes[0])


def _confidence(ranked: Ranked, certain: bool) -> Confidence:
    candidate, signature = ranked.candidate, ranked.candidate.signature
    if signature.rank is not Rank.ROOT:
        return Confidence.LOW
    if candidate.strength is not Strength.STRONG:
        outlived = any(c.strength is Strength.STRONG for c in ranked.consequences)
        return Confidence.MEDIUM if outlived else Confidence.LOW
    # A compiler that stumbles over a header of an installed package says what, not which of the two is wrong.
    if _INSTALLED in candidate.match.captures.get("file", "") and signature.family == "build-failure":
        return Confidence.MEDIUM
    if certain and signature.certain and signature.status is Status.STABLE and not candidate.handled:
        return Confidence.HIGH
    return Confidence.MEDIUM
