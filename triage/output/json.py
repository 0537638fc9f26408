"""`triage.result/1`: the result as one JSON object. The README's and DESIGN's schema, and what bots read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

from triage.model.diagnosis import Cause, JobDiagnosis, Unexplained
from triage.model.log import Line
from triage.model.patch import Patch
from triage.model.result import SCHEMA, CauseGroup, Failure, TriageResult
from triage.output.plain import json_text, plain


def render(result: TriageResult) -> str:
    """One object, indented, ending in a newline. Keys may be added in later versions; none is renamed."""
    document = {
        "schema": SCHEMA,
        "triage": result.triage_version,
        "catalogue": result.catalogue_version,
        "repo": result.repo,
        "runs": [_plain(run) for run in result.runs],
        "failures": [_failure(failure) for failure in result.failures],
        "causes": [_group(group) for group in result.causes],
        "patches": [_patch(patch) for patch in result.patches],
        "notices": list(result.notices),
    }
    return json_text(document) + "\n"


def _failure(failure: Failure) -> dict[str, Any]:
    found = failure.diagnosis
    return {
        "id": failure.id,
        "run": failure.run.id if failure.run else None,
        "attempt": found.job.attempt if failure.run else None,
        "source": failure.source,
        "workflow": failure.workflow_path,
        "job": found.job.name,
        "url": found.job.url,
        "conclusion": found.job.conclusion,
        "step": found.step,
        "causes": [_cause(cause) for cause in found.causes],
        "unexplained": _unexplained(found.unexplained) if found.unexplained else None,
        "unavailable": _plain(found.unavailable) if found.unavailable else None,
        "annotations": [_plain(annotation) for annotation in found.annotations],
        "facts": _facts(found),
        "history": failure.history,
        "notices": list(found.notices),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "id": cause.id,
        "signature": cause.signature,
        "title": cause.title,
        "family": cause.family,
        "category": cause.category.value,
        "rank": cause.rank.value,
        **_line(cause.line),
        "ranks": list(cause.ranks),
        "streams": list(cause.streams),
        "captures": dict(cause.captures),
        "reason": cause.reason,
        "confidence": cause.confidence.value,
        "hits": cause.hits,
        "context": [_line(line) for line in cause.context],
        "consequences": [{"signature": seen.signature, **_line(seen.line)} for seen in cause.consequences],
    }


def _unexplained(guess: Unexplained) -> dict[str, Any]:
    return {
        **_line(guess.line),
        "score": round(guess.score, 3),
        "why": guess.why,
        "nearest": _plain(guess.nearest) if guess.nearest else None,
        "context": [_line(line) for line in guess.context],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "line": line.number,
        "text": plain(line.text),
        "time": line.time.isoformat() if line.time else None,
        "stream": plain(line.stream),
        "step": line.step.name if line.step else "",
    }


def _facts(found: JobDiagnosis) -> dict[str, Any]:
    facts = _plain(found.facts)
    assert isinstance(facts, dict)
    return facts


def _group(group: CauseGroup) -> dict[str, Any]:
    return {
        "id": group.id,
        "signature": group.signature,
        "family": group.family,
        "title": group.title,
        "failures": list(group.failures),
        "verdict": _plain(group.verdict),
        "fixes": list(group.fixes),
        "owner": group.owner,
        "known_issue": group.known_issue,
        "explain": {"what": group.what, "why": group.why, "confirm": group.confirm, "not_this": group.not_this},
        "retry": group.retry,
        "since": _plain(group.since),
        "record": _plain(group.record),
        "mute": _plain(group.mute),
        "code_owners": list(group.code_owners),
    }


def _patch(patch: Patch) -> dict[str, Any]:
    return {key: _plain(getattr(patch, key)) for key in (spec.name for spec in fields(patch))}


def _plain(value: object) -> Any:
    """Dataclasses become objects, enumerations their values, times ISO strings, tuples arrays, sets sorted arrays."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return {spec.name: _plain(getattr(value, spec.name)) for spec in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(_plain(item) for item in value)
    return value
