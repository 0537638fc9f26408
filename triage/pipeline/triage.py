"""The way through, from failed jobs to one result: read, match, diagnose, group, prescribe, prove.

`pipeline/run.py` brings failed jobs from GitHub, `pipeline/log.py` from files; both end here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

import triage
from triage.diagnosis import PROBES, diagnose, diagnose_without_log
from triage.interfaces import LogSource
from triage.logs import window
from triage.matching import Patterns, compile_patterns, scan
from triage.model.configuration import Configuration
from triage.model.diagnosis import JobDiagnosis
from triage.model.log import Line, LogReading
from triage.model.result import Failure, TriageResult
from triage.model.run import Annotation, Job, Run, Unavailable
from triage.model.signature import Catalogue, Signature
from triage.pipeline.annotated import said_in
from triage.pipeline.group import Judge, fill, group_causes
from triage.pipeline.prescribe import prescribe
from triage.pipeline.prescription import Prescription, TreeAccess
from triage.redaction import redacted


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A failed job as it comes in: what GitHub, or the name of a file, says of it, and its log.

    `newer_run_at`: when a newer run of the same workflow and branch began, as far as that was asked.
    """

    job: Job
    log: LogSource | Unavailable
    annotations: tuple[Annotation, ...] = ()
    run: Run | None = None
    source: str = ""
    workflow_path: str = ""
    history: str = ""
    newer_run_at: datetime | None = None


class Knowledge:
    """What is known before any log is read: the catalogue and the repository's configuration.

    The catalogue is read and compiled when it is first asked for, once: logs can be on their way by then.
    """

    def __init__(self, read: Callable[[], Catalogue], configuration: Configuration = Configuration()) -> None:
        self._read = read
        self.configuration = configuration

    @classmethod
    def of(cls, catalogue: Catalogue, configuration: Configuration) -> Knowledge:
        return cls(lambda: catalogue, configuration)

    @cached_property
    def catalogue(self) -> Catalogue:
        """Raises CatalogueError when it cannot be read."""
        return self._read()

    @cached_property
    def patterns(self) -> Patterns:
        """Raises CatalogueError for a pattern that RE2 does not accept."""
        return _compiled(tuple(self.catalogue.signatures.values()))


# What was compiled last: further runs in one process nearly always know the same signatures.
_last: list[Patterns] = []


def _compiled(signatures: tuple[Signature, ...]) -> Patterns:
    for known in _last:
        if known.signatures == signatures:
            return known
    _last[:] = [compile_patterns(signatures, PROBES)]
    return _last[0]


@dataclass(frozen=True, slots=True)
class Triaged:
    """The result for the presenters, and what `--patch` and `--apply` need beyond it."""

    result: TriageResult
    prescription: Prescription


def examine(failed: FailedJob, knowledge: Knowledge) -> tuple[Failure, ...]:
    """Read, match and diagnose one job: no failure when its log holds none, several when its file holds several.

    Raises UsageError when the log cannot be read to its end.
    """
    if isinstance(failed.log, Unavailable):
        said = said_in(failed.annotations, knowledge.patterns, failed.job)
        found = diagnose_without_log(
            failed.job, failed.log, failed.annotations, knowledge.catalogue, failed.newer_run_at, said
        )
        return (_failure(failed, found),)
    return diagnose_readings(failed, failed.log, scan(failed.log, knowledge.patterns, failed.job), knowledge)


def diagnose_readings(
    failed: FailedJob, log: LogSource, readings: Sequence[LogReading], knowledge: Knowledge
) -> tuple[Failure, ...]:
    """The failures that the readings of one log show."""

    def context(line: Line, before: int, after: int) -> tuple[Line, ...]:
        return window(log, line, before, after)

    said = said_in(failed.annotations, knowledge.patterns, failed.job)
    failures = []
    for reading in readings:
        job = _as_the_log_names_it(failed.job, name_in_log(reading, log))
        found = diagnose(
            reading, knowledge.catalogue, job, failed.annotations, context, newer_run_at=failed.newer_run_at, said=said
        )
        if found.causes or found.unexplained or found.unavailable or job.failed:
            failures.append(_failure(failed, found))
    return tuple(failures)


def _as_the_log_names_it(job: Job, own: str) -> Job:
    """A job without a name, or called by its id where the log tells the cell of its matrix, takes the log's name."""
    return replace(job, name=own) if not job.name or own.startswith(f"{job.name} (") else job


def name_in_log(reading: LogReading, log: LogSource) -> str:
    """The name that the runner printed, or the column of `gh run view --log`; "" when the log says neither."""
    printed = next((probed.captures["name"] for probed in reading.probed if probed.probe == "job_name"), "")
    return printed or (reading.name if reading.name != log.name else "")


def _failure(failed: FailedJob, found: JobDiagnosis) -> Failure:
    titled = tuple(replace(cause, title=fill(cause.title, cause.captures)) for cause in found.causes)
    return Failure(
        id="",
        diagnosis=redacted(replace(found, causes=titled)),
        run=failed.run,
        source=failed.source,
        workflow_path=failed.run.workflow_path if failed.run else failed.workflow_path,
        history=failed.history,
    )


def conclude(
    failures: Sequence[Failure],
    knowledge: Knowledge,
    trees: TreeAccess,
    *,
    repo: str = "",
    runs: Sequence[Run] = (),
    notices: Sequence[str] = (),
    siblings: bool = False,
    judge: Judge | None = None,
) -> Triaged:
    """One result from all failures: equal causes together, each with its verdict and its proved fixes."""
    numbered = tuple(_numbered(failures))
    groups = group_causes(numbered, knowledge.catalogue, knowledge.configuration)
    if judge is not None:
        by_id = {failure.id: failure for failure in numbered}
        for step in (judge, judge.since):
            groups = tuple(step(one, [by_id[name] for name in one.failures]) for one in groups)
    prescription = prescribe(groups, numbered, knowledge.catalogue, trees, siblings=siblings)
    left_out = [f"signature left out: {reason}" for reason in knowledge.catalogue.left_out]
    result = TriageResult(
        repo=repo,
        runs=tuple(runs),
        failures=numbered,
        causes=prescription.groups,
        patches=prescription.patches,
        notices=(*notices, *prescription.notices, *left_out),
        triage_version=triage.__version__,
        catalogue_version=knowledge.catalogue.version,
    )
    return Triaged(result, prescription)


def _numbered(failures: Sequence[Failure]) -> Iterator[Failure]:
    for number, failure in enumerate(failures, start=1):
        job = failure.diagnosis.job
        yield replace(failure, id=f"job-{job.id}" if job.id else f"log-{number}")
