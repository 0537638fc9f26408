"""Values to rows and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime

from sqlalchemy import RowMapping

from triage.model.history import date_of, day_of
from triage.model.outcome import CauseHit, FixRecord, FixState, LogState, Outcome, Pool, RunAttempt
from triage.model.run import Run
from triage.redaction import redact

# One line of evidence is kept, not a log.
LONGEST_TEXT = 1_000


def kept(untrusted: str) -> str:
    """What is stored of a line: short, without secrets, without bytes that PostgreSQL's text refuses."""
    return redact(untrusted[: 2 * LONGEST_TEXT]).replace("\0", "")[:LONGEST_TEXT]


def seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


def moment(value: int | None) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value, UTC)


def attempt_row(outcome: Outcome) -> dict[str, object]:
    """`first` and `later` are set afterwards, from all attempts of the run (`outcomes.order_attempts`)."""
    first_cause = outcome.causes[0] if outcome.causes else None
    passed = outcome.passed
    return {
        "repo": outcome.repo,
        "job_id": outcome.job_id,
        "run_id": outcome.run_id,
        "attempt": outcome.attempt,
        "workflow": outcome.workflow,
        "workflow_path": outcome.workflow_path,
        "job": outcome.job,
        "event": outcome.event,
        "branch": outcome.branch,
        "on_base": int(outcome.on_base),
        "sha": outcome.sha,
        "author": outcome.author,
        "pull_request": outcome.pull_request,
        "conclusion": outcome.conclusion,
        "passed": None if passed is None else int(passed),
        "first": int(passed is not None),
        "later": None,
        "runner": outcome.runner,
        "pool": outcome.pool.name,
        "platform": outcome.pool.platform,
        "gpus": outcome.pool.gpus,
        "held": int(outcome.pool.held_while_queued),
        "created": seconds(outcome.created_at),
        "started": seconds(outcome.started_at),
        "completed": seconds(outcome.completed_at),
        "day": day_of(outcome.completed_at),
        "queue_seconds": outcome.queue_seconds,
        "run_seconds": outcome.run_seconds,
        "step": outcome.step,
        "log": str(outcome.log),
        "log_detail": kept(outcome.log_detail),
        "signature": outcome.signature,
        "family": first_cause.family if first_cause else "",
        "unexplained": kept(outcome.unexplained),
        "unexplained_line": outcome.unexplained_line,
        "catalogue": outcome.catalogue,
        "url": outcome.url,
    }


_RUN_TIMES = ("created_at", "started_at", "updated_at")


def run_text(run: Run) -> str:
    """A run as JSON."""
    # All of its fields are flat; `asdict` would copy each of them deeply, thousands of times a sync.
    plain = {field.name: getattr(run, field.name) for field in fields(run)}
    return json.dumps({**plain, **{name: seconds(plain[name]) for name in _RUN_TIMES}}, separators=(",", ":"))


def run_of_text(text: str) -> Run:
    plain = json.loads(text)
    times = {name: moment(plain[name]) for name in _RUN_TIMES}
    return Run(**{**plain, **times, "pull_requests": tuple(plain["pull_requests"])})


def outcome_of(row: RowMapping, causes: Sequence[CauseHit]) -> Outcome:
    completed = moment(row["completed"])
    assert completed is not None  # the column is not null
    same = ("repo", "run_id", "attempt", "job_id", "workflow", "job", "conclusion", "workflow_path", "event", "branch")
    also = ("sha", "author", "pull_request", "runner", "step", "log_detail", "unexplained", "unexplained_line")
    return Outcome(
        **{name: row[name] for name in (*same, *also, "catalogue", "url")},
        completed_at=completed,
        on_base=bool(row["on_base"]),
        pool=Pool(row["pool"], row["platform"], row["gpus"], bool(row["held"])),
        created_at=moment(row["created"]),
        started_at=moment(row["started"]),
        log=LogState(row["log"]),
        causes=tuple(causes),
    )


def cause_rows(outcome: Outcome) -> Iterable[dict[str, object]]:
    for position, cause in enumerate(outcome.causes):
        yield {
            "repo": outcome.repo,
            "job_id": outcome.job_id,
            "position": position,
            "day": day_of(outcome.completed_at),
            "signature": cause.signature,
            "family": cause.family,
            "category": cause.category,
            "fingerprint": kept(cause.fingerprint),
            "line": cause.line,
            "text": kept(cause.text),
            "step": cause.step,
            "confidence": cause.confidence,
        }


def cause_of(row: RowMapping) -> CauseHit:
    names = ("signature", "family", "category", "fingerprint", "line", "text", "step", "confidence")
    return CauseHit(**{name: row[name] for name in names})


def run_attempt_row(attempt: RunAttempt) -> dict[str, object]:
    passed = attempt.passed
    return {
        "repo": attempt.repo,
        "run_id": attempt.run_id,
        "attempt": attempt.attempt,
        "workflow": attempt.workflow,
        "event": attempt.event,
        "branch": attempt.branch,
        "on_base": int(attempt.on_base),
        "sha": attempt.sha,
        "conclusion": attempt.conclusion,
        "passed": None if passed is None else int(passed),
        "completed": seconds(attempt.completed_at),
        "day": day_of(attempt.completed_at),
    }


def fix_row(fix: FixRecord) -> dict[str, object]:
    return {
        "repo": fix.repo,
        "id": fix.id,
        "signature": fix.signature,
        "title": fix.title,
        "workflow_path": fix.workflow_path,
        "job": fix.job,
        "state": str(fix.state),
        "proposed": seconds(fix.proposed_at),
        "recipe": fix.recipe,
        "expectation_kind": fix.expectation_kind,
        "expectation_text": fix.expectation_text,
        "expectation_program": fix.expectation_program,
        "expectation_step": fix.expectation_step,
        "merged": seconds(fix.merged_at),
        "merge_sha": fix.merge_sha,
        "pull_request": fix.pull_request,
        "expires": None if fix.expires is None else (fix.expires - date_of(0)).days,
        "owner": fix.owner,
    }


def fix_of(row: RowMapping) -> FixRecord:
    proposed = moment(row["proposed"])
    assert proposed is not None  # the column is not null
    return FixRecord(
        repo=row["repo"],
        id=row["id"],
        signature=row["signature"],
        title=row["title"],
        workflow_path=row["workflow_path"],
        job=row["job"],
        state=FixState(row["state"]),
        proposed_at=proposed,
        recipe=row["recipe"],
        expectation_kind=row["expectation_kind"],
        expectation_text=row["expectation_text"],
        expectation_program=row["expectation_program"],
        expectation_step=row["expectation_step"],
        merged_at=moment(row["merged"]),
        merge_sha=row["merge_sha"],
        pull_request=row["pull_request"],
        expires=None if row["expires"] is None else date_of(row["expires"]),
        owner=row["owner"],
    )
