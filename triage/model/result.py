"""The one object that the presenters see."""

from __future__ import annotations

from dataclasses import dataclass

from triage.model.diagnosis import JobDiagnosis, Verdict
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
