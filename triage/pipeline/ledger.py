"""Keeps the ledger of fixes: what was proposed goes in, and what became of its pull request is looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from triage.model.outcome import FixRecord, FixState
from triage.model.patch import Draft, Patch
from triage.model.result import CauseGroup, Failure
from triage.model.run import Commit, PullRequest
from triage.pipeline.triage import Triaged
from triage.storage.database import History
from triage.storage.ledger import all_fixes, put_fixes

# What can be looked for in a job's log and proved of its commands; other promises are of a file, not of the job.
_OF_A_JOB = frozenset({"argument", "setting", "environment", "unset", "command"})


def proposals(triaged: Triaged, pull_request: int, now: datetime) -> tuple[FixRecord, ...]:
    """The first choice of each cause, as a pull request proposes them; each counts for the first job that it mends."""
    result, prescription = triaged.result, triaged.prescription
    chosen = {patch.id for patch in prescription.chosen}
    records = []
    for group in result.causes:
        for patch in result.patches_of(group)[:1]:
            if patch.id in chosen:
                failure = result.failures_of(group)[0]
                draft = prescription.drafts[patch.id]
                records.append(fix_record(result.repo, group, failure, patch, draft, pull_request, now))
    return tuple(records)


def fix_record(
    repo: str, group: CauseGroup, failure: Failure, patch: Patch, draft: Draft, pull_request: int, now: datetime
) -> FixRecord:
    """Its id names the pull request: those of patches are of one result. Its first promise will be looked for."""
    record = FixRecord(
        repo=repo,
        id=f"pr-{pull_request}-{patch.id}",
        signature=group.signature,
        title=patch.title,
        workflow_path=failure.workflow_path,
        job=failure.diagnosis.job.name,
        state=FixState.PROPOSED,
        proposed_at=now,
        recipe=patch.recipe,
        pull_request=pull_request,
        owner=group.owner,
    )
    for promise in draft.expectations:
        if promise.kind in _OF_A_JOB and promise.workflow_path == failure.workflow_path:
            return replace(
                record,
                expectation_kind=promise.kind,
                expectation_text=promise.text,
                expectation_program=promise.program,
                expectation_step=promise.step,
            )
    return record


def propose(history: History, records: Sequence[FixRecord]) -> None:
    """Into the ledger, or renewed there; what has become of a fix since is not forgotten. UsageError."""
    beyond = {fix.id for fix in all_fixes(history) if fix.state is not FixState.PROPOSED}
    put_fixes(history, [record for record in records if record.id not in beyond])


def follow_up(
    history: History, pull: Callable[[int], PullRequest], commit: Callable[[str], Commit]
) -> tuple[FixRecord, ...]:
    """Look up the pull requests of proposed fixes; returns those that were merged since. Raises GitHubError."""
    merged = []
    for fix in all_fixes(history):
        if fix.state is FixState.PROPOSED and fix.pull_request:
            found = pull(fix.pull_request)
            if found.merged and found.merge_sha:
                when = commit(found.merge_sha).date or fix.proposed_at
                merged.append(replace(fix, state=FixState.MERGED, merged_at=when, merge_sha=found.merge_sha))
    put_fixes(history, merged)
    return tuple(merged)
