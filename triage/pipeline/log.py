"""Logs without GitHub: files stand in for jobs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from triage.errors import NothingToTriage, UsageError
from triage.interfaces import LogSource
from triage.matching import scan_all
from triage.model.result import Failure
from triage.model.run import Job
from triage.pipeline.prescription import TreeAccess
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, diagnose_readings


def triage_logs(
    logs: Sequence[LogSource],
    knowledge: Knowledge,
    trees: TreeAccess,
    *,
    job: str = "",
    workflow_path: str = "",
    notices: Sequence[str] = (),
    siblings: bool = False,
) -> Triaged:
    """The result over all logs. `job` names the job that they belong to. A log without a failure adds none."""
    failures: list[Failure] = []
    faults: list[str] = []
    for log, readings in zip(logs, scan_all(logs, knowledge.patterns), strict=True):
        if isinstance(readings, UsageError):
            faults.append(readings.message)
            continue
        failed = FailedJob(_stand_in(job), log, source=log.name, workflow_path=workflow_path)
        failures.extend(diagnose_readings(failed, log, readings, knowledge))
    if len(faults) == len(logs):
        raise UsageError(" ".join(faults), "Name logs that can be read.")
    return conclude(failures, knowledge, trees, notices=(*notices, *faults), siblings=siblings)


def require_failures(triaged: Triaged, logs: Sequence[LogSource]) -> None:
    """NothingToTriage when no log holds a failure."""
    if triaged.result.failures:
        return
    names = ", ".join(PurePosixPath(log.name).name for log in logs[:3])
    raise NothingToTriage(
        f"no failure found in {names}.", "If the job did fail, its log may be cut: give the whole log."
    )


def _stand_in(name: str) -> Job:
    return Job(id=0, run_id=0, attempt=1, name=name, status="completed", conclusion=None)
