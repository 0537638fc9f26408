"""Which run: the one that was named, or the newest failed one, chosen by a person where one sits at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
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
    """What narrows the search when no run is named, and `job` what is looked at in it; `attempt` "" is the latest."""

    attempt: str = ""
    branch: str = ""
    workflow: str = ""
    event: str = ""
    pull: int = 0
    job: str = ""

    @property
    def every(self) -> bool:
        return self.attempt == "all"

    @property
    def number(self) -> int:
        """Of the attempt; 0 where none is named. UsageError for what is none."""
        text = "" if self.every else self.attempt
        # Longer ones are no numbers to Python either.
        if text and not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
            raise UsageError(f"--attempt {text[:20]} is no attempt.", "Give a number from 1, or all.")
        return int(text or 0)


def require_sense(named: RunReference, wanted: Wanted) -> None:
    """UsageError for what one of both says and the other says too, or leaves without a meaning."""
    number = wanted.number
    if named.run or named.job:
        options = ("--branch", wanted.branch), ("--workflow", wanted.workflow), ("--event", wanted.event)
        for option, given in (*options, ("--pr", wanted.pull)):
            if given:
                raise UsageError(f"{option} is for a search, but a run is named.", f"Leave out {option}, or the run.")
    if named.job and wanted.attempt:
        raise UsageError("--attempt is for a run: a job is of one attempt.", "Leave out --attempt, or give the run.")
    if named.attempt and wanted.attempt and named.attempt != number:
        raise UsageError(f"the URL names attempt {named.attempt}, but --attempt {wanted.attempt}.", "Give one of them.")
    if named.job and wanted.job:
        raise UsageError("--job is for a run, but the URL names a job.", "Leave out --job, or give the run.")
    if named.pull and wanted.pull and named.pull != wanted.pull:
        raise UsageError(f"the URL is of #{named.pull}, but --pr names #{wanted.pull}.", "Give one of them.")


def find_run(github: GitHub, named: RunReference, wanted: Wanted) -> Run:
    """Raises GitHubError when a named run cannot be read, NothingToTriage when no run has failed."""
    attempt = wanted.number or named.attempt or None
    if named.job:
        # A job belongs to one attempt, which need not be the latest of its run.
        job = github.runs.job(named.job)
        return github.run(job.run_id, attempt or job.attempt)
    if named.run:
        return github.run(named.run, attempt)
    found = _failed_runs(github, wanted, wanted.pull or named.pull)
    if not found:
        raise NothingToTriage(f"no failed run of {github.repo} matches.", "Name a run, or widen the search.")
    chosen = _choose(found) if len(found) > 1 and _person_present() else found[0]
    return github.run(chosen.id, attempt) if attempt else chosen


def _failed_runs(github: GitHub, wanted: Wanted, pull: int) -> list[Run]:
    """The newest first."""
    from triage.github.runs import RunFilter

    if pull:
        head = github.pulls.get(pull).head_sha
        failed = (run for run in github.runs.at(head) if run.conclusion in _FAILED)
        listed: Iterable[Run] = (run for run in failed if _fits(run, wanted))
    else:
        listed = _newest(github, RunFilter(wanted.workflow, wanted.branch, wanted.event))
    return sorted(islice(listed, CHOICES * len(_FAILED)), key=lambda run: run.id, reverse=True)[:CHOICES]


def _fits(run: Run, wanted: Wanted) -> bool:
    """As GitHub's own filters do; a workflow is known by its file's name or its number."""
    name = PurePosixPath(wanted.workflow).name
    return (
        name in ("", PurePosixPath(run.workflow_path).name, str(run.workflow_id))
        and wanted.event in ("", run.event)
        and wanted.branch in ("", run.head_branch)
    )


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
