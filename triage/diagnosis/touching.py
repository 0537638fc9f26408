"""Does a change touch what fails? By the paths that the failure itself names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from triage.model.diagnosis import Cause, Facts

# Where runners and containers put a checkout: what follows is the path in the repository.
_CHECKOUTS = re.compile(
    r"^(?:/__w/[^/]+/[^/]+/|/home/runner/work/[^/]+/[^/]+/|[A-Za-z]:/a/[^/]+/[^/]+/|.{0,200}/_work/[^/]+/[^/]+/)"
)
_PATHS = re.compile(r"[\w./\\:-]{1,300}\.(?:py|pyx|sh|bash|yaml|yml|toml|txt|cfg|ini|cu|cuh|cpp|h|json)\b")
_REQUIREMENTS = re.compile(
    r"(?:^|/)(?:requirements[^/]*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|uv\.lock|environment\.ya?ml)$"
)
_INSTALL_FAMILIES = frozenset({"missing-requirement", "dependency-version", "abi-mismatch", "pip-resolution"})


def touched(cause: Cause, facts: Facts, workflow_path: str, changed: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each part of the failure that the change edits: its frames, scripts, workflow, requirements."""
    return tuple(dict.fromkeys(_sentences(cause, facts, workflow_path, changed)))


def _sentences(cause: Cause, facts: Facts, workflow_path: str, changed: Sequence[str]) -> Iterator[str]:
    edited = set(changed)
    for path in _in_repository(line.text for line in (*cause.context, cause.line)):
        if path in edited:
            yield f"the change edits {path}, which the traceback names"
    for path in _in_repository(facts.commands):
        if path in edited:
            yield f"the change edits {path}, which the job runs"
    if workflow_path in edited:
        yield f"the change edits the workflow {workflow_path}"
    if cause.family in _INSTALL_FAMILIES:
        for path in changed:
            if _REQUIREMENTS.search(path):
                yield f"the change edits {path}, which says what is installed"


def _in_repository(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for found in _PATHS.findall(text[:4000]):
            yield _CHECKOUTS.sub("", found.replace("\\", "/")).removeprefix("./")
