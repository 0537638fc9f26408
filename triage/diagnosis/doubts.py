"""Which candidates may be named: silence is better than a wrong name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triage.diagnosis.candidates import Candidate
from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import Outcome, retried
from triage.diagnosis.shapes import deaths, uncovered
from triage.diagnosis.stops import is_stop, went_wrong_before
from triage.diagnosis.strengths import Strength
from triage.model.log import Line, LogReading
from triage.model.signature import Rank

# A traceback that a heading belongs to begins so many lines below it.
_UNDER_HEADING = range(1, 4)
# Verdicts of a check that name their own reason: no exception of another test is behind them.
SAYS_WHY = frozenset(
    {
        "coverage-below-threshold",
        "documentation-warning-fails",
        "generated-file-outdated",
        "newest-sources-do-not-build",
        "pytest-fixture-missing",
        "system-package-setup-failed",
        "warning-turned-into-error",
    }
)


def nameable(
    candidates: Sequence[Candidate], reading: LogReading, outcome: Outcome, order: Order
) -> tuple[Candidate, ...]:
    """Without those that are doubtful.

    What the program survived is no cause, unless it was tried again until it failed for good. A symptom after an
    exception, or a death, that no signature knows most likely follows from it, as does the time limit of a job that
    fell silent after it; what stands in a green step does not cause one in the failed step either.
    """
    sure = tuple(c for c in candidates if c.strength is not Strength.WEAK or retried(c.line))
    matched = {line.number for c in candidates for line in (c.line, *c.match.occurrences)}
    errors = uncovered(reading, matched)
    unknown = (*errors, *deaths(reading, matched))
    roots = [c for c in sure if c.strength is Strength.STRONG and c.signature.rank is Rank.ROOT]
    held_up = [c for c in roots if is_stop(c) and _held_up(c, errors, order)]
    if not unknown or len(roots) > len(held_up):
        return sure
    earliest = min(order.place(line.number) for line in unknown)
    in_failed_step = any(outcome.step_failed(line.step) is not False for line in unknown)

    def doubtful(candidate: Candidate) -> bool:
        if candidate in held_up:
            return True
        if candidate.strength is Strength.WEAK or (candidate.strength is Strength.GREEN and in_failed_step):
            return True
        return not candidate.stands_for_itself and earliest < candidate.place

    beneath = {t.first: t.error.number for t in reading.tracebacks}
    return tuple(_at_what_it_caught(c, errors, beneath, order) for c in sure if not doubtful(c))


def _held_up(stop: Candidate, errors: Sequence[Line], order: Order) -> bool:
    """Whether an exception that no signature knows came before what stopped the job, which may have waited for it."""
    return any(went_wrong_before(error, order.place(error.number), stop) for error in errors)


def _at_what_it_caught(
    candidate: Candidate, errors: Sequence[Line], beneath: Mapping[int, int], order: Order
) -> Candidate:
    """A check's summary says which test failed; the exception before it, which no signature knows, says why.

    Runners that name each test as it ends do so before they print the errors, and name it again in the summary; others
    head the traceback with it. `beneath`: first line of a traceback -> the line of its error.
    """
    signature = candidate.signature
    if signature.rank is Rank.ROOT or not candidate.stands_for_itself or signature.id in SAYS_WHY:
        return candidate
    line = candidate.line
    summary = max(order.place(hit.number) for hit in (line, *candidate.match.occurrences))
    headed = {beneath[line.number + below] for below in _UNDER_HEADING if line.number + below in beneath}
    caught = (
        error
        for error in errors
        if error.stream == line.stream
        and error.step == line.step
        and (order.place(error.number) < summary or error.number in headed)
    )
    shown = next(caught, None)
    return replace(candidate, match=replace(candidate.match, line=shown)) if shown else candidate
