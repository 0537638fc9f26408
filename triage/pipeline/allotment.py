"""How many requests may be spent on evidence, so that the whole command stays within its limit (issue 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from triage.model.run import JOBS_OF_A_PAGE, Job

# Beyond one request for a hundred jobs and one for each failed job.
SPARE = 10
# Annotations explain what the program did not end itself.
_CUT_SHORT = frozenset({"cancelled", "timed_out"})

_TREES = 2


class Requests(Protocol):
    """Counts the requests of a command (fulfilled by `triage/github`)."""

    @property
    def others(self) -> int:
        """Sent so far for anything but evidence."""
        ...

    def allow(self, most: int) -> None:
        """Of evidence, from the first one on: RequestsSpent is raised instead of sending one more."""
        ...


class Allotment:
    """Follows what a command looks at. `fixed`: what the person chose instead, None for the command's own limit."""

    def __init__(self, requests: Requests | None, fixed: int | None = None) -> None:
        self._requests = requests
        self._fixed = fixed
        self._jobs = self._failed = 0

    def begin(self, jobs: int, failed: Sequence[Job]) -> None:
        """Before logs are fetched: each costs a request, so do the trees of the head and of what was tested."""
        self._jobs += jobs
        self._failed += len(failed)
        cut = sum(job.conclusion in _CUT_SHORT for job in failed)
        self._allow(to_come=sum(bool(job.id) for job in failed) + cut + bool(cut) + _TREES)

    def go_on(self, commits: int) -> None:
        """All else that costs requests has been asked, but for the trees of `commits`."""
        self._allow(to_come=commits)

    def _allow(self, to_come: int) -> None:
        if self._requests is None:
            return
        limit = self._jobs // JOBS_OF_A_PAGE + self._failed + SPARE
        left = limit - self._requests.others - to_come
        self._requests.allow(left if self._fixed is None else self._fixed)
