"""What the judgement asks of a history store, when there is one (fulfilled by `triage/storage`, faked in tests)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from triage.model.evidence import Observation, Record


class Past(Protocol):
    """Costs no request. `cause` is a cause's id, `workflow` a workflow's name as GitHub shows it."""

    def base(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        """The newest first attempts of the job on the base branch."""
        ...

    def pulls(self, workflow: str, job: str, cause: str, count: int) -> Sequence[Observation]:
        """The newest attempts for pull requests that failed with the same cause."""
        ...

    def record(self, workflow: str, job: str, cause: str, signature: str, pull: int, minimum: int) -> Record:
        """Counts over the days that the store looks back; under `minimum` a rate is too little data."""
        ...
