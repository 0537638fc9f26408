"""Keeps the ledger of fixes: what was proposed goes in, and what became of its pull request is looked up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

from triage.model.outcome import FixRecord, FixState
from triage.model.patch import Draft, Patch
from triage.model.run import Commit, PullRequest
from triage.storage.database import History
from triage.storage.ledger import all_fixes, put_fixes


def fix_record(
    repo: str,
    patch: Patch,
    draft: Draft,
    signature: str,
    proposed_at: datetime,
    pull_request: int = 0,
    expires: date | None = None,
    owner: str = "",
) -> FixRecord:
    """A proved patch as it enters the ledger. Its first promise is what will be looked for."""
    promise = draft.expectations[0] if draft.expectations else None
    return FixRecord(
        repo=repo,
        id=patch.id,
        signature=signature,
        title=patch.title,
        workflow_path=promise.workflow_path if promise else "",
        job=promise.job if promise else "",
        state=FixState.PROPOSED,
        proposed_at=proposed_at,
        recipe=patch.recipe,
        expectation_kind=promise.kind if promise else "",
        expectation_text=promise.text if promise else "",
        expectation_program=promise.program if promise else "",
        expectation_step=promise.step if promise else -1,
        pull_request=pull_request,
        expires=expires,
        owner=owner,
    )


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
