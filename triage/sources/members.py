"""What the members of GitHub's log zips are, by their names, in the legacy and the new naming.

Names come from users: they are looked at, never used as paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from triage.model.run import Job

_JOB = re.compile(r"(-?\d{1,10})_([^/]{1,400})\.txt$")
_STEP = re.compile(r"([^/]{1,400})/(\d{1,6})_([^/]{0,400})\.txt$")
_SYSTEM = re.compile(r"([^/]{1,400})/system\.txt$")
# The server's own "Starting: Prepare job" lines, under the lowest 32-bit number.
_SERVER = "-2147483648"
_ILLEGAL = re.compile(r'[/:<>|*?"\\_]')
_BLANKS = re.compile(r"\s+")
_LONGEST_NAME = 90


@dataclass(frozen=True, slots=True)
class JobLog:
    """One job's log in a zip: the places of one member, or of its steps' members in order."""

    job: str
    members: tuple[int, ...]


def job_logs(names: Iterable[str]) -> tuple[JobLog, ...]:
    """One entry a job, in the zip's order: whole-job members first, then jobs of which only steps are there.

    A zip that GitHub did not make gives one entry for each text member. Members are told by their places in `names`,
    since a zip may hold several of one name.
    """
    placed = list(enumerate(names))
    whole = [(found[2], at) for at, name in placed if (found := _JOB.match(name)) and found[1] != _SERVER]
    steps: dict[str, list[tuple[int, int]]] = {}
    for at, name in placed:
        if found := _STEP.match(name):
            steps.setdefault(found[1], []).append((int(found[2]), at))
    known = {normalised(job) for job, _ in whole}
    logs = [JobLog(job, (at,)) for job, at in whole]
    logs += [
        JobLog(job, tuple(at for _, at in sorted(members)))
        for job, members in steps.items()
        if normalised(job) not in known
    ]
    known |= {normalised(job) for job in steps}
    system = [(found[1], at) for at, name in placed if (found := _SYSTEM.match(name))]
    logs += [JobLog(job, (at,)) for job, at in system if normalised(job) not in known]
    if logs:
        return tuple(logs)
    return tuple(JobLog(name, (at,)) for at, name in placed if name.endswith((".txt", ".log", ".out", ".err")))


def normalised(name: str) -> str:
    """What GitHub's two ways to make a file name of a job's name have in common."""
    short = _BLANKS.sub(" ", _ILLEGAL.sub("", name)).strip().encode("utf-16-le")[: 2 * _LONGEST_NAME]
    return _BLANKS.sub(" ", short.decode("utf-16-le", "ignore")).strip()


def unique_jobs(names: Sequence[str], jobs: Sequence[Job]) -> Mapping[str, Job]:
    """The job of each name, where exactly one job and one name fit each other; the others are left out."""
    by_name: dict[str, list[Job]] = {}
    for job in jobs:
        by_name.setdefault(normalised(job.name), []).append(job)
    wanted = [normalised(name) for name in names]
    return {
        name: by_name[key][0]
        for name, key in zip(names, wanted, strict=True)
        if len(by_name.get(key, ())) == 1 and wanted.count(key) == 1
    }
