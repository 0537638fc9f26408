"""What GitHub says about a run: runs, attempts, jobs, steps, annotations, pull requests.

Statuses and conclusions stay open strings: GitHub returns values that its own description does not list
(`startup_failure`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

FAILED_CONCLUSIONS = frozenset({"failure", "timed_out", "cancelled", "startup_failure", "action_required"})


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    name: str
    status: str
    conclusion: str | None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def failed(self) -> bool:
        return self.conclusion in FAILED_CONCLUSIONS


@dataclass(frozen=True, slots=True)
class Job:
    """One execution of a job. `id` is also its check run's id; `attempt` is the attempt in which it really ran."""

    id: int
    run_id: int
    attempt: int
    name: str
    status: str
    conclusion: str | None
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    runner_name: str = ""
    labels: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    url: str = ""

    @property
    def failed(self) -> bool:
        return self.conclusion in FAILED_CONCLUSIONS


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of a workflow run; `repo` is `owner/name`, `head_repo` is empty for a deleted fork."""

    id: int
    attempt: int
    repo: str
    workflow: str
    workflow_path: str
    event: str
    status: str
    conclusion: str | None
    head_sha: str
    head_branch: str
    head_repo: str = ""
    workflow_id: int = 0
    display_title: str = ""
    actor: str = ""
    created_at: datetime | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    url: str = ""
    pull_requests: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PullRequest:
    number: int
    repo: str
    title: str
    author: str
    state: str
    base_ref: str
    base_sha: str
    head_ref: str
    head_sha: str
    head_repo: str = ""
    merge_sha: str = ""
    merged: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    level: str
    message: str
    title: str = ""
    path: str = ""
    line: int = 0


class UnavailableReason(StrEnum):
    """Why a job's log is not there: each is a result that is shown, never an exception."""

    IN_PROGRESS = "in-progress"
    NOT_UPLOADED = "not-uploaded"
    EXPIRED = "expired"
    FORBIDDEN = "forbidden"
    RUNNER_LOST = "runner-lost"
    NEVER_STARTED = "never-started"
    NO_JOBS = "no-jobs"
    FAULT = "fault"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Unavailable:
    reason: UnavailableReason
    detail: str


@dataclass(frozen=True, slots=True)
class NoPullRequest:
    """Why no pull request stands behind a run: none matches, or several do and none may be guessed."""

    detail: str
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a run uploaded. Never read: artifacts of forks are untrusted."""

    id: int
    name: str
    size: int  # bytes
    expired: bool
    url: str = ""


@dataclass(frozen=True, slots=True)
class CheckRun:
    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    app: str = ""  # the slug of the App that made it
    url: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """`pull_request`: whether it is one of those, which GitHub lists as issues too."""

    number: int
    author: str
    body: str
    pull_request: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of an issue or pull request. `node_id` is what GraphQL calls it (for minimising)."""

    id: int
    body: str
    author: str
    node_id: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    message: str
    author: str = ""  # login, else the name in the commit
    date: datetime | None = None
    parents: tuple[str, ...] = ()
    url: str = ""

    @property
    def title(self) -> str:
        return self.message.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """`patch` is empty where GitHub leaves it out (binary or large files)."""

    path: str
    status: str
    previous_path: str = ""
    patch: str = ""
    additions: int = 0
    deletions: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """`commits` are those of head that base lacks, oldest first; `truncated` when GitHub counts more than it lists."""

    base: str
    head: str
    status: str  # ahead, behind, diverged, identical
    merge_base: str
    commits: tuple[Commit, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    name: str  # owner/name, as GitHub spells it now: names change
    default_branch: str
    private: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class RunPage:
    """One page of a listing. `total` is what GitHub counts in the whole window, also beyond the 1,000 it lists."""

    total: int
    runs: tuple[Run, ...]


# GitHub's most for one page of a run's jobs.
JOBS_OF_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class JobPage:
    """One page of the jobs of an attempt. `total` is what GitHub counts on all pages."""

    total: int
    jobs: tuple[Job, ...]

    @property
    def pages(self) -> int:
        return -(-self.total // JOBS_OF_A_PAGE)


@dataclass(frozen=True, slots=True)
class Allowance:
    """Requests left until `resets_at`; both None when the server sets no limit or has not said."""

    remaining: int | None = None
    resets_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Transfer:
    """How far one log is: bytes received, and bytes in all (0: not told)."""

    job: Job
    received: int
    total: int
