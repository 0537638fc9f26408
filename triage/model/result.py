"""The one object that the presenters see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from triage.model.diagnosis import Cause, JobDiagnosis, Verdict
from triage.model.evidence import Breakage, Record
from triage.model.patch import Patch
from triage.model.run import Run

SCHEMA = "triage.result/1"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed job of the result; `run` is None for a log that was read from a file. `source` names the log."""

    id: str
    diagnosis: JobDiagnosis
    run: Run | None = None
    source: str = ""
    # The workflow file that holds the job, "" when nobody said.
    workflow_path: str = ""
    # What other attempts of the same job did: "passed in attempt 2".
    history: str = ""

    def cause(self, identity: str) -> Cause:
        """This failure's own sight of a cause that a group gathers; LookupError when it has none of that id."""
        for cause in self.diagnosis.causes:
            if cause.id == identity:
                return cause
        raise LookupError(f"{self.id} has no cause {identity}")


@dataclass(frozen=True, slots=True)
class Mute:
    """People have said not to be told of this cause until a day (itself included); None: until they say otherwise."""

    until: date | None
    url: str
    expired: bool = False


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """The same cause over jobs: one verdict, one set of fixes. `fixes` are patch ids, the first choice first."""

    id: str
    signature: str
    family: str
    title: str
    failures: tuple[str, ...]
    verdict: Verdict
    fixes: tuple[str, ...] = ()
    owner: str = ""
    known_issue: str = ""
    # The signature's explanation with the captures filled in, for a person who has never seen this failure.
    what: str = ""
    why: str = ""
    confirm: str = ""
    not_this: str = ""
    retry: bool = False
    # Since when the base branch fails with it, and what the history holds of it; None where nobody asked or found it.
    since: Breakage | None = None
    record: Record | None = None
    mute: Mute | None = None
    # Who owns the job's workflow, by the default branch's CODEOWNERS.
    code_owners: tuple[str, ...] = ()

    @property
    def muted(self) -> bool:
        return self.mute is not None and not self.mute.expired


@dataclass(frozen=True, slots=True)
class TriageResult:
    """Causes are ordered as they should be read; `notices` say what is missing or was left out."""

    repo: str = ""
    runs: tuple[Run, ...] = ()
    failures: tuple[Failure, ...] = ()
    causes: tuple[CauseGroup, ...] = ()
    patches: tuple[Patch, ...] = ()
    notices: tuple[str, ...] = ()
    triage_version: str = ""
    catalogue_version: str = ""

    @property
    def silent(self) -> tuple[Failure, ...]:
        """The failures without a named cause."""
        return tuple(failure for failure in self.failures if not failure.diagnosis.causes)

    def failures_of(self, group: CauseGroup) -> tuple[Failure, ...]:
        """In the group's order; never empty."""
        by_id = {failure.id: failure for failure in self.failures}
        return tuple(by_id[one] for one in group.failures)

    def patches_of(self, group: CauseGroup) -> tuple[Patch, ...]:
        """The group's fixes, the first choice first."""
        by_id = {patch.id: patch for patch in self.patches}
        return tuple(by_id[one] for one in group.fixes)
