"""What the server serves: plain values of `triage.model.run`, and what clients have written so far."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum

from triage.model.run import (
    Annotation,
    Artifact,
    ChangedFile,
    CheckRun,
    Comment,
    Commit,
    Job,
    PullRequest,
    Repository,
    Run,
)


class LogState(Enum):
    """A job without a log, and how GitHub says so."""

    ABSENT = "absent"  # the API answers 404
    EXPIRED = "expired"  # the API answers 410
    FORBIDDEN = "forbidden"  # the API answers 403
    NEVER_UPLOADED = "never uploaded"  # the API redirects, the store answers 404 BlobNotFound


@dataclass(slots=True)
class Delayed:
    """A log that is not there for the first `calls` questions."""

    content: bytes
    calls: int


@dataclass(slots=True)
class Issue:
    number: int
    title: str
    body: str
    author: str
    state: str = "open"


Log = bytes | LogState | Delayed
Files = dict[str, bytes]


@dataclass(slots=True)
class World:
    """One repository. Runs are listed once per attempt; `jobs` has the key (run, attempt).

    `trees` maps a commit to its files; `touched` a commit to the paths it changed; `branches` a name to a commit.
    `archives` holds log archives by (run, attempt). `token` empty: every request is let in.
    """

    repository: Repository
    runs: list[Run] = field(default_factory=list)
    jobs: dict[tuple[int, int], list[Job]] = field(default_factory=dict)
    logs: dict[int, Log] = field(default_factory=dict)
    archives: dict[tuple[int, int], bytes] = field(default_factory=dict)
    annotations: dict[int, list[Annotation]] = field(default_factory=dict)
    artifacts: dict[int, list[Artifact]] = field(default_factory=dict)
    pulls: list[PullRequest] = field(default_factory=list)
    changed_files: dict[int, list[ChangedFile]] = field(default_factory=dict)
    comments: dict[int, list[Comment]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    minimised: set[int] = field(default_factory=set)
    check_runs: list[CheckRun] = field(default_factory=list)
    commits: dict[str, Commit] = field(default_factory=dict)
    touched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    trees: dict[str, Files] = field(default_factory=dict)
    executables: set[str] = field(default_factory=set)
    branches: dict[str, str] = field(default_factory=dict)
    reviews: list[tuple[int, str]] = field(default_factory=list)
    reruns: list[str] = field(default_factory=list)
    viewer: str = "triage[bot]"
    token: str = ""
    # Objects of git that clients made: blobs by sha, and trees by sha.
    blobs: dict[str, bytes] = field(default_factory=dict)
    git_trees: dict[str, Files] = field(default_factory=dict)
    last_id: int = 9_000_000
    # The number of the App's installation here; 0: the App is not installed.
    installation: int = 0
    # Another name that redirects here, as that of a renamed repository does.
    former_name: str = ""

    def latest_runs(self) -> list[Run]:
        """Each run as its latest attempt, newest first."""
        latest: dict[int, Run] = {}
        for run in self.runs:
            if run.id not in latest or latest[run.id].attempt < run.attempt:
                latest[run.id] = run
        return sorted(latest.values(), key=lambda run: (created(run), run.id), reverse=True)

    def attempt(self, run_id: int, number: int | None = None) -> Run | None:
        """The given attempt of a run, or its latest."""
        found = [run for run in self.runs if run.id == run_id and number in (None, run.attempt)]
        return max(found, key=lambda run: run.attempt, default=None)

    def all_jobs(self) -> Iterator[Job]:
        for jobs in self.jobs.values():
            yield from jobs

    def job(self, job_id: int) -> Job | None:
        return next((job for job in self.all_jobs() if job.id == job_id), None)

    def pull(self, number: int) -> PullRequest | None:
        return next((pull for pull in self.pulls if pull.number == number), None)

    def resolve(self, ref: str) -> str | None:
        """A branch, a full sha or "" (the default branch) -> a commit that the world knows."""
        name = ref.removeprefix("refs/").removeprefix("heads/") or self.repository.default_branch
        sha = self.branches.get(name, name)
        return sha if sha in self.commits or sha in self.trees else None

    def history(self, sha: str) -> list[Commit]:
        """The commit and its ancestors, each once, children before parents."""
        found: dict[str, Commit] = {}
        pending = [sha]
        while pending:
            one = self.commits.get(pending.pop(0))
            if one is not None and one.sha not in found:
                found[one.sha] = one
                pending += one.parents
        return list(found.values())

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id


def created(run: Run) -> datetime:
    """A run keeps the time of its first attempt; one without a time counts as old."""
    return run.created_at or datetime(2000, 1, 1, tzinfo=UTC)


def blob_sha(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def tree_sha(files: Files) -> str:
    """A name for the tree by its content; git's own would need its folders as objects."""
    digest = hashlib.sha1(usedforsecurity=False)
    for path in sorted(files):
        digest.update(f"{path}\0{blob_sha(files[path])}\n".encode())
    return digest.hexdigest()
