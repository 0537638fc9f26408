"""Which candidates may be named: silence is better than a wrong name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.diagnosis.candidates import Candidate
from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import Outcome, retried
from triage.diagnosis.shapes import deaths, uncovered
from triage.diagnosis.strengths import Strength
from triage.model.log import Line, LogReading
from triage.model.signature import Rank


def nameable(
    candidates: Sequence[Candidate], reading: LogReading, outcome: Outcome, order: Order
) -> tuple[Candidate, ...]:
    """Without those that are doubtful.

    What the program survived is no cause, unless it was tried again until it failed for good. A symptom after an
    exception, or a death, that no signature knows most likely follows from it; what stands in a green step does not
    cause one in the failed step either.
    """
    sure = tuple(c for c in candidates if c.strength is not Strength.WEAK or retried(c.line))
    matched = {line.number for c in candidates for line in (c.line, *c.match.occurrences)}
    errors = uncovered(reading, matched)
    unknown = (*errors, *deaths(reading, matched))
    if not unknown or any(c.strength is Strength.STRONG and c.signature.rank is Rank.ROOT for c in sure):
        return sure
    earliest = min(order.place(line.number) for line in unknown)
    in_failed_step = any(outcome.step_failed(line.step) is not False for line in unknown)

    def doubtful(candidate: Candidate) -> bool:
        if candidate.strength is Strength.WEAK or (candidate.strength is Strength.GREEN and in_failed_step):
            return True
        return not candidate.stands_for_itself and earliest < candidate.place

    return tuple(_at_what_it_caught(c, errors, order) for c in sure if not doubtful(c))


def _at_what_it_caught(candidate: Candidate, errors: Sequence[Line], order: Order) -> Candidate:
    """A check's summary says which test failed; the exception before it, which no signature knows, says why.

    Runners that name each test as it ends do so before they print the errors, and name it again in the summary.
    """
    if candidate.signature.rank is Rank.ROOT or not candidate.stands_for_itself:
        return candidate
    line = candidate.line
    summary = max(order.place(hit.number) for hit in (line, *candidate.match.occurrences))
    caught = (
        error
        for error in errors
        if error.stream == line.stream and error.step == line.step and order.place(error.number) < summary
    )
    shown = next(caught, None)
    return replace(candidate, match=replace(candidate.match, line=shown)) if shown else candidate
