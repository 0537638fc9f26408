"""What the log's trace shows of a job's variables."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.fixes.evaluate.machine import Pins
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.platform import job_platform
from triage.model.diagnosis import Facts, Platform

# `NAME=word` and nothing behind it: a traced assignment, not a command that is called with a variable set.
_TRACED = re.compile(r"[+ ]*([A-Za-z_]\w*)=('[^']*'|[^\s'\"]*)")


def pins_of(facts: Facts, job: Job) -> Pins:
    """Variables that the log's trace shows with one value throughout, and the platform, from the log or the job."""
    seen: dict[str, set[str]] = {}
    for command in facts.commands:
        if match := _TRACED.fullmatch(command):
            seen.setdefault(match.group(1), set()).add(_unquoted(match.group(2)))
    variables = {name: values.copy().pop() for name, values in seen.items() if len(values) == 1}
    platform = facts.platform.value if facts.platform is not Platform.UNKNOWN else job_platform(job)
    return Pins(variables, platform)


def untraced(facts: Facts, names: frozenset[str]) -> Facts:
    """Without what the trace shows of these variables: what the files gave before an edit, they give after it."""
    traced = (match and match.group(1) for match in map(_TRACED.fullmatch, facts.commands))
    kept = [command for command, name in zip(facts.commands, traced, strict=True) if name not in names]
    return replace(facts, commands=tuple(kept))


def _unquoted(text: str) -> str:
    """A traced value: shells quote what needs it, as a whole."""
    return text[1:-1] if text.startswith("'") else text
