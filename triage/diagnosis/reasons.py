"""The printed reason of a choice: edges, standing among rivals, extent over ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from triage.diagnosis.candidates import Candidate, Identity
from triage.model.signature import Rank


def reason_of(
    cause: Candidate,
    first: Candidate,
    free: Sequence[Candidate],
    consequences: Sequence[Candidate],
    explained: Mapping[Identity, Candidate],
    tie: str,
) -> str:
    """`free` are the candidates that nothing explains, `tie` is what settled lines that arrived together."""
    reasons = [_edges(cause, consequences, explained), *_standing(cause, first, free, tie), *_extent(cause)]
    return "; ".join(filter(None, reasons)) or "no other match could be the root"


def _edges(cause: Candidate, consequences: Sequence[Candidate], explained: Mapping[Identity, Candidate]) -> str:
    caused = [c for c in consequences if explained.get(c.identity) is cause]
    names = ", ".join(f"{c.signature.id} (line {c.line.number})" for c in caused[:3])
    return f"it explains {names}" if names else ""


def _standing(cause: Candidate, first: Candidate, free: Sequence[Candidate], tie: str) -> Iterator[str]:
    """Why this one stands where it stands among those that nothing explains."""
    rivals = [c for c in free if c is not cause]
    if cause is not first:
        yield "it is independent of the first cause"
    elif tie:
        yield tie
    elif rivals and all(c.strength > cause.strength for c in rivals):
        yield f"the other matches are weaker: {rivals[0].why}"
    elif cause.signature.rank is Rank.ROOT and any(c.signature.rank is Rank.SYMPTOM for c in rivals):
        yield "a root comes before symptoms"
    elif rivals:
        yield "it is the earliest of those that matched"


def _extent(cause: Candidate) -> Iterator[str]:
    if cause.why:
        yield f"although {cause.why}"
    if cause.signature.rank is Rank.SYMPTOM:
        yield "only a symptom is visible: its root is not in the log"
    if len(cause.ranks) > 1:
        yield f"the same on ranks {', '.join(map(str, cause.ranks))}"
