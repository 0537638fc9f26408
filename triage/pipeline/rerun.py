"""Which failed jobs are worth their price a second time: a pure decision over a result and what goes on around it.

Refused, in this order: a run that goes on or was rerun meanwhile; the cap for the commit; an outage; a job without a
named cause; a job with a cause that a rerun cannot change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from triage.errors import GitHubError
from triage.model.configuration import Configuration
from triage.model.diagnosis import VerdictValue
from triage.model.evidence import Record, Sight
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.model.run import Job, Run
from triage.model.signature import Catalogue, Category
from triage.output import comment_words
from triage.output.plain import count
from triage.pipeline.price import Price, price
from triage.pipeline.sightings import EvidenceSource, Sightings
from triage.pipeline.triage import Knowledge

OUTAGE_WINDOW = timedelta(hours=1)
_OTHER_RUNS = 20
# With enough reruns counted and fewer than this share of them passing, a rerun is money for nothing.
_HOPELESS = 0.2


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`spent`: reruns of this commit so far, over all workflows. `hit`: cause id -> changes that failed with it within
    the last hour, this one included. `latest`: the run as GitHub has it now."""

    spent: int = 0
    hit: tuple[tuple[str, int], ...] = ()
    latest: Run | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """`expected`: how many reruns with these causes passed, in words; "" when nobody has counted."""

    job: Job
    why: str
    price: Price
    expected: str = ""
    chance: float = -1.0


@dataclass(frozen=True, slots=True)
class Refused:
    job: str
    why: str


@dataclass(frozen=True, slots=True)
class RerunPlan:
    """`jobs` are worth a rerun, the most promising first. `whole`: they are all that failed, so one request does it."""

    jobs: tuple[PlannedJob, ...] = ()
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()
    whole: bool = False

    @property
    def asked(self) -> tuple[PlannedJob, ...]:
        """Those that the next request starts: a run that goes on takes no second one."""
        return self.jobs if self.whole else self.jobs[:1]


def plan_rerun(
    run: Run, result: TriageResult, around: Surroundings, catalogue: Catalogue, configuration: Configuration
) -> RerunPlan:
    """Pure. Every failed job is either in `jobs` or in `refused` with a reason."""
    stop = _stopped(run, around, configuration)
    desk = _Desk(result, around, catalogue, configuration)
    for failure in result.failures:
        desk.decide(failure, stop)
    chosen = tuple(sorted(desk.jobs, key=lambda one: (-one.chance, one.price.gpu_hours)))
    whole = bool(chosen) and not desk.refused
    notes = [*around.missing]
    if len(chosen) > 1 and not whole:
        notes.append(
            "GitHub takes one job at a time beside failed ones that stay: the others wait for the next attempt"
        )
    return RerunPlan(chosen, tuple(desk.refused), tuple(notes), whole)


def _stopped(run: Run, around: Surroundings, configuration: Configuration) -> str:
    latest = around.latest or run
    if latest.attempt != run.attempt:
        return f"attempt {latest.attempt} of the run exists already"
    if latest.status != "completed":
        return f"the run is still {latest.status}"
    caps = configuration.rerun
    if around.spent >= caps.per_sha:
        return f"{count(around.spent, 'rerun')} at this commit already, and the cap is {caps.per_sha}"
    return ""


@dataclass(slots=True)
class _Desk:
    result: TriageResult
    around: Surroundings
    catalogue: Catalogue
    configuration: Configuration
    jobs: list[PlannedJob] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def decide(self, failure: Failure, stop: str) -> None:
        job = failure.diagnosis.job
        groups = [group for group in self.result.causes if failure.id in group.failures]
        why_not = stop or next(self._against(failure, groups), "")
        if why_not:
            self.refused.append(Refused(job.name or failure.id, why_not))
            return
        records = [group.record for group in groups if group.record is not None]
        seconds = max((one.seconds for one in records), default=0)
        self.jobs.append(
            PlannedJob(
                job,
                f"{', '.join(group.signature for group in groups)} may pass when it is tried again",
                price(job, self.configuration, seconds),
                _expected(records),
                min((one.reruns.value or 0.0 for one in records if one.reruns.enough), default=-1.0),
            )
        )

    def _against(self, failure: Failure, groups: Sequence[CauseGroup]) -> Iterator[str]:
        if not failure.diagnosis.job.id:
            yield "no job has started: the workflow file is not valid"
        if not groups:
            yield "no cause is named, so nobody can say that it would pass"
        for group in groups:
            yield from self._against_cause(group)

    def _against_cause(self, group: CauseGroup) -> Iterator[str]:
        signature = self.catalogue.signatures.get(group.signature)
        if signature is None or signature.category is Category.DETERMINISTIC:
            yield f"{group.signature} is deterministic: it would fail again"
        elif not group.retry:
            yield f"{group.signature} says that a rerun is not worth its price"
        if group.verdict.value in {VerdictValue.YOURS, VerdictValue.TRUNK}:
            yield f"{group.signature} is judged {group.verdict.value.value}: a rerun does not change that"
        hit, most = dict(self.around.hit).get(group.id, 0), self.configuration.rerun.outage_pull_requests
        if hit >= most:
            yield f"an outage: {hit} pull requests failed with {group.signature} within the hour"
        rate = group.record.reruns if group.record else None
        if rate is not None and rate.enough and (rate.value or 0.0) < _HOPELESS:
            yield f"only {comment_words.rate(rate)} reruns after {group.signature} passed"


def _expected(records: Sequence[Record]) -> str:
    counted = [one.reruns for one in records if one.reruns.n]
    return (
        f"reruns that passed: {comment_words.rate(min(counted, key=lambda one: one.value or 0.0))}" if counted else ""
    )


def look_around(
    source: EvidenceSource,
    knowledge: Knowledge,
    run: Run,
    result: TriageResult,
    at_commit: Sequence[Run],
    now: datetime,
) -> Surroundings:
    """Asks GitHub what a decision needs. Never raises GitHubError: what could not be asked is said."""
    spent = sum(max(0, one.attempt - 1) for one in at_commit)
    try:
        latest = max(source.attempts(run), key=lambda one: one.attempt)
        hit = _hit_within_the_hour(source, knowledge, run, result, now)
        return Surroundings(spent, hit, latest)
    except GitHubError as fault:
        # Without knowing of an outage nothing is rerun: the cap is taken as reached.
        reason = f"what goes on elsewhere could not be looked up: {fault.message}"
        return Surroundings(max(spent, knowledge.configuration.rerun.per_sha), missing=(reason,))


def _hit_within_the_hour(
    source: EvidenceSource, knowledge: Knowledge, run: Run, result: TriageResult, now: datetime
) -> tuple[tuple[str, int], ...]:
    most = knowledge.configuration.rerun.outage_pull_requests
    since = now - OUTAGE_WINDOW
    recent = [
        other
        for other in source.other_runs(run, _OTHER_RUNS)
        if other.id != run.id and other.updated_at is not None and other.updated_at >= since
    ]
    sightings = Sightings(source, knowledge)
    counted = []
    for group in result.causes:
        sightings.allow(most * 2)
        changes = {_change(run)}
        names = [one.diagnosis.job.name for one in result.failures_of(group)]
        for other in recent:
            if len(changes) >= most:
                break
            if any(sightings.sight(other, name, group.id).sight is Sight.SAME_CAUSE for name in names[:2]):
                changes.add(_change(other))
        counted.append((group.id, len(changes)))
    return tuple(counted)


def _change(run: Run) -> tuple[str, str]:
    """What tells two pull requests apart; GitHub does not number those of forks."""
    return (run.head_repo, run.head_branch)
