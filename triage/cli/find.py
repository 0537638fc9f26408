"""Which run: the one that was named, or the newest failed one, chosen by a person where one sits at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from triage.errors import NothingToTriage, UsageError
from triage.model.run import Run

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.github.references import RunReference
    from triage.github.runs import RunFilter

CHOICES = 10
# GitHub filters by one conclusion per call; a run that timed out or never started has failed too.
_FAILED = ("failure", "timed_out", "startup_failure")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What narrows the search when no run is named; `attempt` 0 is the latest."""

    attempt: int = 0
    branch: str = ""
    workflow: str = ""
    event: str = ""
    pull: int = 0


def find_run(github: GitHub, named: RunReference, wanted: Wanted) -> Run:
    """Raises GitHubError when a named run cannot be read, NothingToTriage when no run has failed."""
    attempt = wanted.attempt or named.attempt or None
    if named.job:
        # A job belongs to one attempt, which need not be the latest of its run.
        job = github.runs.job(named.job)
        return github.run(job.run_id, attempt or job.attempt)
    if named.run:
        return github.run(named.run, attempt)
    found = _failed_runs(github, replace(wanted, pull=wanted.pull or named.pull))
    if not found:
        raise NothingToTriage(f"no failed run of {github.repo} matches.", "Name a run, or widen the search.")
    chosen = _choose(found) if len(found) > 1 and _person_present() else found[0]
    return github.run(chosen.id, wanted.attempt) if wanted.attempt else chosen


def _failed_runs(github: GitHub, wanted: Wanted) -> list[Run]:
    """The newest first."""
    from triage.github.runs import RunFilter

    if wanted.pull:
        head = github.pulls.get(wanted.pull).head_sha
        listed: Iterable[Run] = (run for run in github.runs.at(head) if run.conclusion in _FAILED)
        if wanted.workflow:
            listed = (run for run in listed if run.workflow_path.endswith(f"/{wanted.workflow}"))
    else:
        listed = _newest(github, RunFilter(wanted.workflow, wanted.branch, wanted.event))
    return sorted(islice(listed, CHOICES * len(_FAILED)), key=lambda run: run.id, reverse=True)[:CHOICES]


def _newest(github: GitHub, wanted: RunFilter) -> Iterable[Run]:
    for conclusion in _FAILED:
        yield from github.runs.list(replace(wanted, status=conclusion), CHOICES)


def _person_present() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _choose(runs: Sequence[Run]) -> Run:
    for number, run in enumerate(runs, start=1):
        when = f"{run.created_at:%m-%d %H:%M}" if run.created_at else ""
        print(f"{number:>3}  {run.id}  {when}  {run.workflow} ({run.event}, {run.head_branch})", file=sys.stderr)
    print("Which one? [1] ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip() or "1"
    if not answer.isdecimal() or len(answer) > 9 or not 1 <= int(answer) <= len(runs):
        raise UsageError(f"{answer!r} is none of them.", f"Answer with a number from 1 to {len(runs)}.")
    return runs[int(answer) - 1]
