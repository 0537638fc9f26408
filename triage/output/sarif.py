"""The result as SARIF 2.1.0: one result at each place that a first choice edits, with the edit as a fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from triage.model.diagnosis import VerdictValue
from triage.model.patch import Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import words
from triage.output.links import line_url, linkable
from triage.output.marker import cause_digest
from triage.output.plain import json_text, plain, shorten
from triage.output.suggestions import Suggestion, blocks

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LONGEST = 2000
_ROOT = "%SRCROOT%"


def render(result: TriageResult) -> str:
    """One log with one run. A cause without a patch is a result at its job's workflow file, without a line."""
    groups = tuple({group.signature: group for group in result.causes}.values())
    order = {group.signature: place for place, group in enumerate(groups)}
    driver = {
        "name": "triage",
        "semanticVersion": result.triage_version or "0.0.0",
        "rules": [_rule(group) for group in groups],
    }
    run = {
        "tool": {"driver": driver},
        "results": [one for group in result.causes for one in _results(group, result, order[group.signature])],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(_notices(result))}],
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(group: CauseGroup) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": group.signature, "shortDescription": {"text": _text(group.title)}}
    if group.what:
        rule["fullDescription"] = {"text": _text(group.what)}
    if said := " ".join(one for one in (group.why, group.confirm) if one):
        rule["help"] = {"text": _text(said)}
    return rule | {"properties": {"family": group.family}}


def _results(group: CauseGroup, result: TriageResult, rule: int) -> Iterator[dict[str, Any]]:
    first = next(iter(result.patches_of(group)), None)
    if first is None or first.state is not PatchState.PATCH or not first.hunks:
        path = result.failures_of(group)[0].workflow_path
        yield _result(group, result, rule, _locations(path, 0))
        return
    fix = _fix(first)
    for hunk in first.hunks:
        said = _result(group, result, rule, _locations(hunk.path, hunk.line), f"{first.title}: {hunk.why}")
        yield said | ({"fixes": [fix]} if fix else {})


def _result(
    group: CauseGroup, result: TriageResult, rule: int, locations: list[dict[str, Any]], change: str = ""
) -> dict[str, Any]:
    failures = result.failures_of(group)
    cause = failures[0].cause(group.id)
    about = ["job " + ", ".join(words.job_name(one) for one in failures[:5])]
    if words.judged(group, failures):
        about.append(words.verdict(group))
    if logs := words.log_names(failures):
        about.append(f"log {logs}")
    said = [f"{group.title} ({'; '.join(about)}).", f"Line {cause.line.number}: {cause.line.text}"]
    message = " ".join((*said, change)).strip()
    found: dict[str, Any] = {
        "ruleId": group.signature,
        "ruleIndex": rule,
        "level": _level(group),
        "message": {"text": _text(message)},
        "locations": locations,
        "partialFingerprints": {"triageCause/v1": cause_digest(group.id)},
        "properties": {"confidence": cause.confidence.value, **_verdict(group, failures)},
    }
    if linkable(address := line_url(failures[0], cause.line)):
        found["hostedViewerUri"] = address
    if group.muted:
        found["suppressions"] = [{"kind": "external", "justification": words.mute(group)}]
    return found


def _verdict(group: CauseGroup, failures: Sequence[Failure]) -> dict[str, str]:
    if not words.judged(group, failures):
        return {}
    return {"verdict": group.verdict.value.value, "verdictConfidence": group.verdict.confidence.value}


def _level(group: CauseGroup) -> str:
    return "error" if group.verdict.value is VerdictValue.YOURS else "warning"


def _locations(path: str, line: int) -> list[dict[str, Any]]:
    if not path:
        return []
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path), "uriBaseId": _ROOT}}
    if line > 0:
        place["region"] = {"startLine": line}
    return [{"physicalLocation": place}]


def _fix(patch: Patch) -> dict[str, Any]:
    """The whole patch: a part of it would not do what its proof says. Empty when the diff has nothing to replace."""
    changes: dict[str, list[Suggestion]] = {}
    for block in blocks(patch.diff):
        changes.setdefault(block.path, []).append(block)
    if not changes or any(block.first < 1 for found in changes.values() for block in found):
        return {}
    return {
        "description": {"text": _text(patch.title)},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": quote(path), "uriBaseId": _ROOT},
                "replacements": [_replacement(block) for block in found],
            }
            for path, found in changes.items()
        ],
    }


def _replacement(block: Suggestion) -> dict[str, Any]:
    """Whole lines: the region ends where the line after the last one begins."""
    region = {"startLine": block.first, "startColumn": 1, "endLine": block.last + 1, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": "".join(f"{line}\n" for line in block.lines)}}


def _notices(result: TriageResult) -> Iterator[dict[str, Any]]:
    for failure in result.silent:
        logs = words.log_names([failure])
        name = f"{words.job_name(failure)} (log {logs})" if logs else words.job_name(failure)
        said = f"{name}: {words.silence(failure.diagnosis)}"
        yield {"level": "note", "message": {"text": _text(said)}}
    for notice in result.notices:
        yield {"level": "note", "message": {"text": _text(notice)}}


def _text(text: str) -> str:
    """Plain text. SARIF reads brackets as links, so they are escaped."""
    flat = shorten(plain(text.replace("\n", " ")), _LONGEST)
    return flat.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") or "-"
