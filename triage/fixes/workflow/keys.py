"""The keys that GitHub takes in a workflow, a job and a step; its page on workflow syntax lists them."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from triage.fixes.yaml.nodes import YamlDocument, child, entries, items

WORKFLOW = ("name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs")
JOB = (
    *("name", "permissions", "needs", "if", "runs-on", "environment", "concurrency", "outputs", "env", "defaults"),
    *("steps", "timeout-minutes", "strategy", "continue-on-error", "container", "services", "uses", "with", "secrets"),
)
STEP = (
    *("id", "if", "name", "uses", "run", "working-directory", "shell", "with", "env", "continue-on-error"),
    "timeout-minutes",
)
# What an input, a secret and an output of a workflow that is called or started by hand are described by.
_OF_INPUT = ("description", "required", "default", "type", "deprecationMessage")
_DECLARES = (
    ("workflow_call", "inputs", _OF_INPUT),
    ("workflow_call", "secrets", ("description", "required")),
    ("workflow_call", "outputs", ("description", "value")),
    ("workflow_dispatch", "inputs", (*_OF_INPUT, "options")),
)


def mappings(document: YamlDocument) -> Iterator[tuple[str, str, yaml.Node, tuple[str, ...]]]:
    """Semantic path, job, mapping, and the keys that it may have: of workflow, inputs, jobs and steps."""
    if document.root is not None:
        yield "", "", document.root, WORKFLOW
    for event, kind, known in _DECLARES:
        for name, _, node in entries(child(document.root, "on", event, kind)):
            yield f"on.{event}.{kind}.{name}", "", node, known
    for job, _, node in entries(child(document.root, "jobs")):
        yield f"jobs.{job}", job, node, JOB
        for index, step in enumerate(items(child(node, "steps"))):
            yield f"jobs.{job}.steps[{index}]", job, step, STEP


def unknown_keys(document: YamlDocument) -> list[str]:
    return [name for _, _, node, known in mappings(document) for name, _, _ in entries(node) if name not in known]
