"""Logs without GitHub: files stand in for jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from triage.errors import NothingToTriage, UsageError
from triage.interfaces import LogSource
from triage.matching import scan_all
from triage.matching.parallel import Scanned
from triage.model.result import Failure
from triage.model.run import Job
from triage.output.plain import count
from triage.pipeline.prescription import TreeAccess
from triage.pipeline.triage import FailedJob, Knowledge, Triaged, conclude, diagnose_readings, name_in_log

_MOST_NAMED = 8
_WORD = re.compile(r"[a-z]+|[0-9]+")


def triage_logs(
    logs: Sequence[LogSource],
    knowledge: Knowledge,
    trees: TreeAccess,
    *,
    job: str = "",
    workflow_path: str = "",
    notices: Sequence[str] = (),
    unread: Sequence[str] = (),
    siblings: bool = False,
) -> Triaged:
    """The result over all logs. `job` names the job that they belong to: where some say so, what says that it is of
    another is left out. A log without a failure adds none.

    `unread` names the inputs that were no logs: a notice says what became of each input.
    """
    failures: list[Failure] = []
    faults: list[str] = []
    lost, green, others, aside = list(unread), [], [], []
    scanned = scan_all(logs, knowledge.patterns)
    foreign = _foreign(job, logs, scanned)
    for log, readings in zip(logs, scanned, strict=True):
        if isinstance(readings, UsageError):
            faults.append(readings.message)
            lost.append(log.name)
            continue
        failed = FailedJob(_stand_in(job), log, source=log.name, workflow_path=workflow_path)
        kept = [reading for reading in readings if name_in_log(reading, log) not in foreign]
        found = diagnose_readings(failed, log, kept, knowledge)
        failures.extend(found)
        others += [own for reading in kept if _is_another(job, own := name_in_log(reading, log))]
        if readings and not kept:
            aside.append(log.name)
        elif kept and not found:
            green.append(log.name)
    if len(faults) == len(logs):
        raise UsageError(" ".join(faults), "Name logs that can be read.")
    counted = [*_counted(len(logs) + len(unread), green, lost, aside), *_left_out(job, foreign)]
    taken = [f"taken for the job {job[:80]}, but the log calls its own {own[:80]}" for own in dict.fromkeys(others)]
    return conclude(failures, knowledge, trees, notices=(*counted, *notices, *faults, *taken), siblings=siblings)


def _foreign(job: str, logs: Sequence[LogSource], scanned: Sequence[Scanned]) -> tuple[str, ...]:
    """The names of other jobs that the logs tell, where one tells this job's too, or one that shares a word with it."""
    read = ((log, one) for log, one in zip(logs, scanned, strict=True) if not isinstance(one, UsageError))
    told = list(dict.fromkeys(name_in_log(reading, log) for log, one in read for reading in one))
    own = [name for name in told if name and _is_named(job, name)]
    own = own or [name for name in told if name and not _is_another(job, name)]
    return tuple(name for name in told if name and name not in own) if job and own else ()


def _is_named(job: str, name: str) -> bool:
    """Alone, as a cell of a matrix, or as a job of a called workflow."""
    alone, wanted = name.lower(), job.lower()
    return alone == wanted or alone.startswith(f"{wanted} (") or alone.endswith(f" / {wanted}")


def _left_out(job: str, foreign: Sequence[str]) -> Iterator[str]:
    if foreign:
        yield f"only the job {job[:80]} was looked at: the input holds {_names(foreign)} too"


def _is_another(given: str, own: str) -> bool:
    """Whether the names have no word in common: the id of a job and its displayed name seldom do without one."""
    words = [set(_WORD.findall(name.lower())) for name in (given, own)]
    return all(words) and not words[0] & words[1] and given.lower() not in own.lower()


def _counted(inputs: int, green: Sequence[str], lost: Sequence[str], aside: Sequence[str]) -> Iterator[str]:
    """What became of all inputs, where not each of them is shown as a failure."""
    if green or lost or aside:
        red = inputs - len(green) - len(lost) - len(aside)
        parts = [f"{red} with a failure"]
        parts += [f"{len(aside)} of other jobs ({_names(aside)})"] if aside else []
        parts += [f"{len(green)} without one ({_names(green)})"] if green else []
        parts += [f"{len(lost)} not readable ({_names(lost)})"] if lost else []
        yield f"{count(inputs, 'input')}: {', '.join(parts)}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(PurePosixPath(name).name for name in names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def require_failures(triaged: Triaged, logs: Sequence[LogSource], unread: Sequence[str] = ()) -> None:
    """NothingToTriage when no log holds a failure; `unread` as in `triage_logs`."""
    if triaged.result.failures:
        return
    lost = f" Not readable: {_names(unread)}." if unread else ""
    raise NothingToTriage(
        f"no failure found in {_names([log.name for log in logs])}.{lost}",
        "If the job did fail, its log may be cut: give the whole log.",
    )


def _stand_in(name: str) -> Job:
    return Job(id=0, run_id=0, attempt=1, name=name, status="completed", conclusion=None)
