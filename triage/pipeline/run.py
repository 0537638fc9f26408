"""Runs on GitHub: which jobs failed, their logs side by side, and one result.

One run, all attempts of a run, or the runs of all workflows for one commit of a pull request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module

from triage.diagnosis.without_log import is_superseded
from triage.errors import GitHubError, NothingToTriage
from triage.interfaces import RunSource
from triage.model.result import Failure
from triage.model.run import Annotation, Job, Run, Transfer, Unavailable, UnavailableReason
from triage.pipeline.ahead import Ahead
from triage.pipeline.allotment import Allotment, Requests
from triage.pipeline.jobs import Selection, failed_jobs, histories
from triage.pipeline.judging import Judging
from triage.pipeline.past import Past
from triage.pipeline.prescription import TreeAccess, Trees
from triage.pipeline.sightings import EvidenceSource
from triage.pipeline.superseding import began_before_its_end, newer_runs
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, examine


class Watch:
    """Told what goes on; a command line overrides these to draw progress."""

    def transferred(self, transfer: Transfer) -> None:
        """Some bytes of a log have come. Called from several threads."""

    def examined(self, done: int, total: int, job: Job) -> None:
        """A job is done."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of the runs; with `evidence`, it is judged whose failure each cause is, `past` helping.

    `requests` counts what the command asks, so that evidence gets what the rest leaves; None: there is no limit.
    `evidence_requests` is the person's own limit for evidence.
    """

    selection: Selection = Selection()
    siblings: bool = False
    watch: Watch = field(default_factory=Watch)
    evidence: EvidenceSource | None = None
    past: Past | None = None
    requests: Requests | None = None
    evidence_requests: int | None = None


def triage_run(
    source: RunSource,
    run: Run,
    knowledge: Knowledge,
    trees: TreeAccess,
    request: Request = Request(),
    jobs: Sequence[Job] | None = None,
) -> Triaged:
    """Diagnose every failed job of one attempt. `jobs`: all of the attempt's, when they are at hand already.

    Raises GitHubError when the list of jobs cannot be read, NothingToTriage when no job has failed.
    """
    listed = source.jobs(run) if jobs is None else jobs
    return _triage(source, [run], {run.attempt: listed}, knowledge, trees, request)


def triage_attempts(
    source: RunSource, attempts: Sequence[Run], knowledge: Knowledge, trees: TreeAccess, request: Request = Request()
) -> Triaged:
    """Every failed execution of all attempts of one run, each with what became of its job in the others."""
    return _triage(source, attempts, {one.attempt: source.jobs(one) for one in attempts}, knowledge, trees, request)


def triage_commit(
    source: RunSource, runs: Sequence[Run], knowledge: Knowledge, trees: TreeAccess, request: Request = Request()
) -> Triaged:
    """The failed jobs of the runs of several workflows for one commit. NothingToTriage when none has failed."""
    desk = _Desk(source, knowledge, trees, request)
    for run in runs:
        desk.look_at(run, source.jobs(run), {})
    return desk.conclude(runs)


def _triage(
    source: RunSource,
    attempts: Sequence[Run],
    jobs: Mapping[int, Sequence[Job]],
    knowledge: Knowledge,
    trees: TreeAccess,
    request: Request,
) -> Triaged:
    desk = _Desk(source, knowledge, trees, request)
    told = histories(jobs)
    for run in attempts:
        desk.look_at(run, jobs[run.attempt], told)
    return desk.conclude(attempts)


class _Desk:
    """Collects the failures of one or several runs; each execution of a job is looked at once."""

    def __init__(self, source: RunSource, knowledge: Knowledge, trees: TreeAccess, request: Request) -> None:
        self.source = source
        self.knowledge = knowledge
        self.trees = trees
        self.request = request
        self.failures: list[Failure] = []
        self.notices: list[str] = []
        self._judging = Judging(request.evidence, knowledge, request.past) if request.evidence else None
        self._allotment = Allotment(request.requests, request.evidence_requests)
        self._ahead = Ahead()
        self._nothing: NothingToTriage | None = None
        self._seen: set[int] = set()

    def look_at(self, run: Run, jobs: Sequence[Job], told: Mapping[int, str]) -> None:
        try:
            failed = failed_jobs(run, jobs, self.knowledge.configuration, self.request.selection)
        except NothingToTriage as outcome:
            self._nothing = outcome
            return
        fresh = [job for job in failed if not job.id or job.id not in self._seen]
        self._seen.update(job.id for job in fresh)
        if self._judging is not None:
            self._judging.listed(run, jobs)
        self._allotment.begin(len(jobs), fresh)
        self.notices.extend(_still_going(run, jobs))
        order = {job.id: place for place, job in enumerate(fresh)}
        found = sorted(self._examine(run, fresh), key=lambda failure: order.get(failure.diagnosis.job.id, len(order)))
        self.failures += [replace(one, history=told.get(one.diagnosis.job.id, "")) for one in found]

    def conclude(self, runs: Sequence[Run]) -> Triaged:
        if not self.failures and self._nothing is not None:
            raise self._nothing
        self._ahead.wait()
        # Of the trees, the first failure's has been asked for.
        tested = {failure.diagnosis.facts.tested_sha for failure in self.failures}
        self._allotment.go_on(commits=max(0, len(tested) - 1))
        return conclude(
            self.failures,
            self.knowledge,
            self.trees,
            repo=runs[0].repo if runs else "",
            runs=runs,
            notices=self.notices,
            siblings=self.request.siblings,
            judge=self._judging,
        )

    def _examine(self, run: Run, jobs: Sequence[Job]) -> Iterator[Failure]:
        """While some logs are on the wire, those that have come are read, matched and diagnosed."""
        for job in jobs:
            if not job.id:
                why = Unavailable(UnavailableReason.NO_JOBS, "the run has no jobs: its workflow file is not valid")
                yield from examine(FailedJob(job, why, run=run), self.knowledge)
        logged = [job for job in jobs if job.id]
        watch = self.request.watch
        arriving = self.source.fetch_logs(logged, watch.transferred)
        # Compiled while the first logs are on the wire.
        _ = self.knowledge.patterns
        newer = self._newer_runs(run, logged)
        for done, (job, log) in enumerate(arriving, start=1):
            began = began_before_its_end(newer, job)
            annotations = self._annotations(job) if _needs_annotations(job, log, began) else ()
            for failure in examine(FailedJob(job, log, annotations, run, newer_run_at=began), self.knowledge):
                self._look_ahead(run, failure)
                yield failure
            watch.examined(done, len(logged), job)

    def _look_ahead(self, run: Run, failure: Failure) -> None:
        """A named cause will be judged, and prescribed for where its signature has fixes, once all logs are read."""
        judging, causes = self._judging, failure.diagnosis.causes
        if causes and judging is not None:
            name = failure.diagnosis.job.name
            self._ahead.ask(("evidence", run.id, run.attempt), lambda: judging.gatherer(run).look_ahead(name))
        signatures = self.knowledge.catalogue.signatures
        if any(signatures[cause.signature].fixes for cause in causes if cause.signature in signatures):
            self._ahead.ask("fixes", lambda: self._ready_to_fix(failure.diagnosis.facts.tested_sha))

    def _ready_to_fix(self, tested_sha: str) -> None:
        """The tree, and what works on it: its parsers and gates take half a second to import."""
        if isinstance(self.trees(tested_sha), Trees):
            import_module("triage.pipeline.prove")

    def _newer_runs(self, run: Run, jobs: Sequence[Job]) -> Sequence[Run]:
        try:
            return newer_runs(self.source, run, jobs)
        except GitHubError as fault:
            self.notices.append(f"whether a newer run cancelled jobs could not be looked up: {fault.message}")
            return ()

    def _annotations(self, job: Job) -> tuple[Annotation, ...]:
        """One job's annotations are not worth the results of all others: without them it is diagnosed all the same."""
        try:
            return tuple(self.source.annotations(job))
        except GitHubError as fault:
            self.notices.append(f"the annotations of {job.name} could not be read: {fault.message}")
            return ()


def _still_going(run: Run, jobs: Sequence[Job]) -> Iterator[str]:
    if run.status != "completed":
        going = sum(job.status != "completed" for job in jobs)
        state = f"is still {run.status}" if run.status else "has no status"
        yield f"run {run.id} {state}: {going} of {len(jobs)} jobs have not ended"


def _needs_annotations(job: Job, log: object, newer_run_at: datetime | None) -> bool:
    """Annotations cost a request: they are asked for when there is no log, or when the end was not the program's and
    no newer run explains it."""
    if isinstance(log, Unavailable):
        return True
    return job.conclusion in {"cancelled", "timed_out"} and not is_superseded(job, newer_run_at)
