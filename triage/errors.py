"""The one table of errors and exit codes. `triage/cli/main.py` is the one place that catches them.

TriageError
├── UsageError          2   what the person typed, or a file they named, is wrong
│   └── ConfigurationError  2   triage.toml, flags and environment contradict or do not decode
├── NothingToTriage     3   the input holds no failure
├── GitHubError         4   the run, or its list of jobs, cannot be read
│   ├── RateLimited     4   GitHub asks to wait: stop, and go on later
│   └── RequestsSpent   4   a limit of our own does not let another request through
└── CatalogueError      5   a signature does not decode, or contradicts its samples
"""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum


class ExitCode(IntEnum):
    """What the process returns; the README's table is checked against this one."""

    DONE = 0
    BUG = 1
    USAGE = 2
    NOTHING_TO_TRIAGE = 3
    GITHUB = 4
    CATALOGUE = 5
    ALL_EXPLAINED = 10
    SOME_UNEXPLAINED = 11
    INTERRUPTED = 130


class TriageError(Exception):
    """Something a person can put right: `message` says what is wrong and where, `remedy` what to do."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


class UsageError(TriageError):
    exit_code = ExitCode.USAGE


class ConfigurationError(UsageError):
    pass


class NothingToTriage(TriageError):  # noqa: N818 - it is an outcome with an exit code, not a fault
    exit_code = ExitCode.NOTHING_TO_TRIAGE


class GitHubError(TriageError):
    exit_code = ExitCode.GITHUB


class RateLimited(GitHubError):  # noqa: N818 - a request to wait, not a fault
    """`resets_at` is when to come back, None when GitHub did not say."""

    def __init__(self, message: str, remedy: str = "", resets_at: datetime | None = None) -> None:
        super().__init__(message, remedy)
        self.resets_at = resets_at


class RequestsSpent(GitHubError):  # noqa: N818 - the end of a search, not a fault
    """The requests that were allowed for a purpose are spent: this one was not sent."""


class CatalogueError(TriageError):
    exit_code = ExitCode.CATALOGUE
