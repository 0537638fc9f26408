"""Logs without GitHub: files stand in for jobs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from triage.errors import NothingToTriage
from triage.interfaces import LogSource
from triage.model.result import Failure
from triage.model.run import Job
from triage.pipeline.prescribe import TreeAccess
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, examine


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
    for log in logs:
        failures.extend(
            examine(FailedJob(_stand_in(job), log, source=log.name, workflow_path=workflow_path), knowledge)
        )
    return conclude(failures, knowledge, trees, notices=notices, siblings=siblings)


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
