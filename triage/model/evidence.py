"""What the pipeline looked up to judge whose failure it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from triage.model.finding import Rate
from triage.model.run import Commit


class Sight(StrEnum):
    """What another execution of the same job showed."""

    PASSED = "passed"
    SAME_CAUSE = "same-cause"
    OTHER_CAUSE = "other-cause"
    # Failed, and its log was not looked at (the budget was spent) or holds no named cause.
    FAILED = "failed"
    DID_NOT_RUN = "did-not-run"


@dataclass(frozen=True, slots=True)
class Observation:
    """One other execution of the job. `holds_change`: its commits include those of the change under test."""

    sight: Sight
    label: str
    url: str = ""
    sha: str = ""
    author: str = ""
    pull: int = 0
    holds_change: bool = False
    run: int = 0


@dataclass(frozen=True, slots=True)
class Breakage:
    """Since when the base branch fails: the last run that passed, the first that failed after it, commits in between.

    `green` None: none of the runs that were looked at passed. `commits` are those that the red run has and the green
    one lacks, oldest first; `more` when there are others. `url` compares the two.
    """

    red: Observation
    green: Observation | None = None
    commits: tuple[Commit, ...] = ()
    more: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What the history of the last `days` days holds of one cause.

    `on_base`: of the first attempts of the job on the base branch, those that failed with it. `reruns`: of the failed
    attempts with its signature that were rerun, those that passed. `seconds`: how long the job takes when it passes,
    the median, 0 when unknown. `pulls` counts other pull requests.
    """

    days: int
    failures: int
    pulls: int
    on_base: Rate
    reruns: Rate
    seconds: int = 0
    first: date | None = None
    last: date | None = None
    synced: date | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """The change under test. `kin` are pull requests that must not excuse it: its stack, its reverts, older forms."""

    pull: int = 0
    author: str = ""
    tested_sha: str = ""
    kin: frozenset[int] = frozenset()
    on_base: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found for one cause.

    `base`: completed runs of the base branch, newest first. `pulls`: other pull requests. `attempts`: later attempts
    of the same job. `touched`: parts of what fails that the change edits, as sentences. `missing`: what could not be
    looked up, as sentences. `pulls_unseen`: a limit of requests ended the search for other pull requests.
    """

    base: tuple[Observation, ...] = ()
    pulls: tuple[Observation, ...] = ()
    attempts: tuple[Observation, ...] = ()
    touched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    breakage: Breakage | None = None
    record: Record | None = None
    pulls_unseen: bool = False
