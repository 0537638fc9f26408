"""What a job came to: one row of the history per job attempt, with its causes; and the ledger of fixes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

# Conclusions that say something about the job. Cancelled, superseded, skipped and unapproved ones do not, unless the
# diagnosis found that the job ran into its time limit or lost its runner: then it failed.
PASSED_CONCLUSIONS = frozenset({"success"})
FAILED_OUTRIGHT = frozenset({"failure", "timed_out", "startup_failure"})
FAILED_WHEN_CANCELLED = frozenset({"ci-timeout", "ci-runner-lost"})

SECONDS_PER_DAY = 86_400


class LogState(StrEnum):
    """What became of a failed job's log. PENDING: not fetched yet, the next sync goes on with it."""

    NOT_NEEDED = "not-needed"
    READ = "read"
    UNAVAILABLE = "unavailable"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class CauseHit:
    """One cause of one failed job attempt. `fingerprint` tells two failures of a signature apart; `line` from 1."""

    signature: str
    family: str
    category: str
    fingerprint: str
    line: int
    text: str
    step: str = ""
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """The machines that a job asked for: `name` is the label that picks them, `gpus` per job (0: none or unknown).

    `held_while_queued`: the machines are already taken while the job waits, so that waiting costs GPU-hours too.
    """

    name: str
    platform: str = "unknown"
    gpus: int = 0
    held_while_queued: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt of one job. Times are aware and in UTC; None where GitHub did not say.

    `branch` is "owner:branch" when the head is a fork's. `on_base`: ran on the default branch itself.
    `unexplained` is the best line when the log was read and no signature matched.
    """

    repo: str
    run_id: int
    attempt: int
    job_id: int
    workflow: str
    job: str
    conclusion: str
    completed_at: datetime
    workflow_path: str = ""
    event: str = ""
    branch: str = ""
    on_base: bool = False
    sha: str = ""
    author: str = ""
    pull_request: int = 0
    runner: str = ""
    pool: Pool = Pool("")
    created_at: datetime | None = None
    started_at: datetime | None = None
    step: str = ""
    log: LogState = LogState.NOT_NEEDED
    log_detail: str = ""
    causes: tuple[CauseHit, ...] = ()
    unexplained: str = ""
    unexplained_line: int = 0
    catalogue: str = ""
    url: str = ""

    @property
    def passed(self) -> bool | None:
        """None: the attempt says nothing about the job (cancelled, skipped, never approved)."""
        if self.conclusion in PASSED_CONCLUSIONS:
            return True
        if self.conclusion in FAILED_OUTRIGHT:
            return False
        if self.conclusion == "cancelled" and any(cause.family in FAILED_WHEN_CANCELLED for cause in self.causes):
            return False
        return None

    @property
    def signature(self) -> str:
        """The first cause's signature, "" when there is none."""
        return self.causes[0].signature if self.causes else ""

    @property
    def run_seconds(self) -> int:
        return _seconds(self.started_at, self.completed_at) or 0

    @property
    def queue_seconds(self) -> int | None:
        return _seconds(self.created_at, self.started_at)


def _seconds(start: datetime | None, end: datetime | None) -> int | None:
    """Whole seconds, never negative: GitHub's clocks are not monotone over steps and jobs."""
    return None if start is None or end is None else max(0, int((end - start).total_seconds()))


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """One attempt of a workflow run, for time to green and the trunk's green rate."""

    repo: str
    run_id: int
    attempt: int
    workflow: str
    branch: str
    on_base: bool
    conclusion: str
    completed_at: datetime
    event: str = ""
    sha: str = ""

    @property
    def passed(self) -> bool | None:
        if self.conclusion in PASSED_CONCLUSIONS:
            return True
        return False if self.conclusion in FAILED_OUTRIGHT else None


class FixState(StrEnum):
    PROPOSED = "proposed"
    MERGED = "merged"
    REVERTED = "reverted"


@dataclass(frozen=True, slots=True)
class FixRecord:
    """A fix in the ledger. `expectation_*` is what must hold of the job once it is merged (`Expectation`).

    `expires` is the day on which a workaround should be looked at again.
    """

    repo: str
    id: str
    signature: str
    title: str
    workflow_path: str
    job: str
    state: FixState
    proposed_at: datetime
    recipe: str = ""
    expectation_kind: str = ""
    expectation_text: str = ""
    expectation_program: str = ""
    expectation_step: int = -1
    merged_at: datetime | None = None
    merge_sha: str = ""
    pull_request: int = 0
    expires: date | None = None
    owner: str = ""
