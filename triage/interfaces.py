"""The seams between layers: small protocols that adapters fulfil and pure code relies on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from triage.model.run import Allowance, Annotation, Job, PullRequest, Run, RunPage, Transfer, Unavailable


class LogSource(Protocol):
    """The bytes of one job's log. `open` may be called again: a second look reads only windows around hits."""

    @property
    def name(self) -> str: ...

    def open(self) -> BinaryIO:
        """A seekable stream of raw bytes, positioned at the start."""
        ...


class Tree(Protocol):
    """An immutable snapshot of a repository at one commit. Paths are posix, relative to the root."""

    @property
    def sha(self) -> str: ...

    def paths(self) -> Sequence[str]:
        """Every regular file, sorted."""
        ...

    def __contains__(self, path: str) -> bool: ...

    def __hash__(self) -> int:
        """A snapshot is itself alone: what is worked out from it is kept by it."""
        ...

    def read(self, path: str) -> bytes:
        """The file's bytes. KeyError when there is no such file: ask `in` first."""
        ...


class RunSource(Protocol):
    """What the pipeline needs of GitHub to triage a run (fulfilled by `triage/github`, faked in tests)."""

    def run(self, run_id: int, attempt: int | None = None) -> Run:
        """Raises GitHubError when the run cannot be read."""
        ...

    def jobs(self, run: Run) -> Sequence[Job]:
        """The jobs of this attempt. Raises GitHubError."""
        ...

    def log(self, job: Job) -> LogSource | Unavailable: ...

    def fetch_logs(
        self, jobs: Sequence[Job], on_progress: Callable[[Transfer], None] | None = None
    ) -> Iterator[tuple[Job, LogSource | Unavailable]]:
        """The logs side by side, each as soon as it is there; all are on their way when this returns.

        Leaving the loop ends all transfers.
        """
        ...

    def annotations(self, job: Job) -> Sequence[Annotation]:
        """Empty when they may not be read."""
        ...

    def newer_runs(self, run: Run, until: datetime) -> Sequence[Run]:
        """The runs of the same workflow and branch that were created after `run`, up to `until`. One request."""
        ...

    def pull_request_of(self, run: Run) -> PullRequest | None: ...

    def snapshot(self, sha: str) -> Path | Unavailable:
        """One gzipped tar of the repository at this commit, on disk until the source is closed.

        `triage/sources/trees.py` reads it as a `Tree`; layer 2 packages do not know each other.
        """
        ...


class HistorySource(Protocol):
    """What a sync of the history needs of GitHub (fulfilled by `triage/github`, an archive folder, and fakes in tests).

    Every method but `allowance` costs requests: a page, a run, a log and annotations one each, jobs one per hundred.
    Each raises RateLimited when GitHub says to stop, GitHubError when it cannot answer.
    """

    def run_page(self, start: datetime, end: datetime, page: int) -> RunPage:
        """Page 1, 2, ... (a hundred runs each, newest first) of the runs created in start..end, both ends kept."""
        ...

    def run(self, run_id: int, attempt: int | None = None) -> Run: ...

    def all_jobs(self, run: Run) -> Sequence[Job]:
        """Every job of every attempt; each says the attempt in which it really ran."""
        ...

    def log(self, job: Job) -> LogSource | Unavailable: ...

    def annotations(self, job: Job) -> Sequence[Annotation]: ...

    def allowance(self) -> Allowance:
        """What the last answer said about limits. Costs nothing."""
        ...
