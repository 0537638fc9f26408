"""What the gates look at: the trees before and after the draft's edits, and what was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Evaluation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Draft, Gate, GateStatus
from triage.model.signature import Tables


@dataclass(frozen=True, slots=True)
class JobRun:
    """What a job that the draft is about runs, before and after; a Refusal where that cannot be worked out.

    `facts` are those of the log that still hold after the edit.
    """

    workflow_path: str
    job: str
    before: Evaluation | Refusal
    after: Evaluation | Refusal
    facts: Facts


@dataclass(frozen=True, slots=True)
class Change:
    """`old` and `new` hold the bytes of every edited file, by path; `after` is `head` with `new` laid over it."""

    draft: Draft
    head: Tree
    after: Tree
    old: Mapping[str, bytes]
    new: Mapping[str, bytes]
    diff: bytes
    target: Target
    facts: Facts
    tables: Tables
    jobs: tuple[JobRun, ...] = ()


def ok(name: str, reason: str = "", *, mandatory: bool = True) -> Gate:
    return Gate(name, GateStatus.OK, reason, mandatory)


def failed(name: str, reason: str, *, mandatory: bool = True) -> Gate:
    return Gate(name, GateStatus.FAILED, reason, mandatory)


def skipped(name: str, reason: str, *, mandatory: bool = True) -> Gate:
    return Gate(name, GateStatus.SKIPPED, reason, mandatory)
