"""One job's log, read and matched, becomes causes, or the best unexplained line, or nothing at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from triage.diagnosis.attempts import last_attempt
from triage.diagnosis.beside import set_beside
from triage.diagnosis.candidates import Candidate, candidates_of
from triage.diagnosis.causes_below import without_survived_causes
from triage.diagnosis.clocks import Order, order_of
from triage.diagnosis.doubts import nameable
from triage.diagnosis.edges import explained_by
from triage.diagnosis.ending import Ending, Outcome, outcome_of
from triage.diagnosis.facts import background_of, facts_at
from triage.diagnosis.ranking import cause_of, rank
from triage.diagnosis.scope import veto
from triage.diagnosis.settings import Context
from triage.diagnosis.trail import trail_of
from triage.diagnosis.uncaught import uncaught
from triage.diagnosis.unexplained import unexplained_of
from triage.diagnosis.without_log import STOPS, stopped_from_outside
from triage.model.diagnosis import Cause, Facts, JobDiagnosis, Unexplained
from triage.model.log import Line, LogReading, Said
from triage.model.run import Annotation, Job
from triage.model.signature import Catalogue, Rank

_CONTEXT_BEFORE, _CONTEXT_AFTER = 3, 3


def no_context(line: Line, before: int, after: int) -> tuple[Line, ...]:
    """Stands in where the log's bytes are not at hand: the line itself, nothing around it."""
    return (line,)


def diagnose(
    reading: LogReading,
    catalogue: Catalogue,
    job: Job,
    annotations: Sequence[Annotation] = (),
    context: Context = no_context,
    green: Collection[str] = (),
    newer_run_at: datetime | None = None,
    said: Sequence[Said] = (),
) -> JobDiagnosis:
    """`green`: lines of the last green log of the same job, as `novel_form` gives them.

    `said` is what signatures hold on the annotations. `newer_run_at`: when a newer run of the same workflow and branch
    began, which tells superseded from cancelled.
    """
    order = order_of(reading)
    reading = without_survived_causes(last_attempt(reading, catalogue, order), context)
    outcome = outcome_of(reading, job, order)
    background = background_of(reading, job)
    if outcome.ending is Ending.SUCCEEDED:
        facts = facts_at(background, reading, context)
        return JobDiagnosis(job=job, annotations=tuple(annotations), facts=facts, notices=reading.notices)
    found = set_beside(candidates_of(reading, catalogue, order, outcome), reading)
    candidates, notices = _in_scope(found, job, background)
    named = nameable(candidates, reading, outcome, order)
    edges = explained_by(catalogue, {each.signature.id for each in named})
    ranked = rank(named, edges, reading.failed_ranks)
    certain = outcome.ending is Ending.FAILED and not outcome.outlived
    printed = tuple(_with_context(cause_of(each, certain), context) for each in ranked)
    causes = _with_the_stop(printed, stopped_from_outside(job, said, catalogue, newer_run_at))
    unexplained = None if causes else _unexplained(reading, catalogue, order, outcome, context, candidates, green)
    if caught := uncaught(unexplained, reading, outcome, catalogue):
        causes, unexplained = tuple(_with_context(each, context) for each in caught), None
    first = causes[0] if causes else None
    if first is not None and first.line.number:
        facts = facts_at(background, reading, context, first.line, first.ranks)
    else:
        facts = facts_at(background, reading, context)
    return JobDiagnosis(
        job=job,
        step=_step(job, first, unexplained),
        causes=causes,
        unexplained=unexplained,
        annotations=tuple(annotations),
        facts=facts,
        notices=(*reading.notices, *notices),
        trail=trail_of(reading, first.line.number if first is not None and first.line.number else reading.lines),
    )


def _in_scope(found: Sequence[Candidate], job: Job, facts: Facts) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    kept, notices = [], []
    for candidate in found:
        why = veto(candidate.signature.scope, job, candidate.line, facts.platform, facts.frameworks)
        if why:
            notices.append(f"{candidate.signature.id} matched line {candidate.line.number}, but {why}")
        else:
            kept.append(candidate)
    return tuple(kept), tuple(notices)


def _unexplained(
    reading: LogReading,
    catalogue: Catalogue,
    order: Order,
    outcome: Outcome,
    context: Context,
    candidates: Sequence[Candidate],
    green: Collection[str],
) -> Unexplained | None:
    hollow = [c.line.number for c in candidates if c.signature.rank is Rank.WRAPPER]
    return unexplained_of(reading, catalogue, order, outcome, context, hollow, green)


def _with_the_stop(printed: tuple[Cause, ...], stop: Cause | None) -> tuple[Cause, ...]:
    """What stopped the job from outside comes first, unless the log shows a root that came before it."""
    first = printed[0] if printed else None
    if stop is None or (first is not None and first.rank is Rank.ROOT and first.family not in STOPS):
        return printed
    if first is None or first.family not in STOPS:
        return (stop, *printed)
    shown = replace(stop, line=first.line, context=first.context, consequences=first.consequences)
    return (shown, *printed[1:])


def _with_context(cause: Cause, context: Context) -> Cause:
    return replace(cause, context=context(cause.line, _CONTEXT_BEFORE, _CONTEXT_AFTER))


def _step(job: Job, cause: Cause | None, unexplained: Unexplained | None) -> str:
    """The step of the evidence; where the log does not tell, the step that the API says failed."""
    line = cause.line if cause else unexplained.line if unexplained else None
    if line is not None and line.step is not None:
        return line.step.name
    return next((step.name for step in job.steps if step.failed), "")
