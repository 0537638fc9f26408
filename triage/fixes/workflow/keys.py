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


def mappings(document: YamlDocument) -> Iterator[tuple[str, str, yaml.Node, tuple[str, ...]]]:
    """Semantic path, job, mapping, and the keys that it may have: of the workflow, its jobs and their steps."""
    if document.root is not None:
        yield "", "", document.root, WORKFLOW
    for job, _, node in entries(child(document.root, "jobs")):
        yield f"jobs.{job}", job, node, JOB
        for index, step in enumerate(items(child(node, "steps"))):
            yield f"jobs.{job}.steps[{index}]", job, step, STEP


def unknown_keys(document: YamlDocument) -> list[str]:
    return [name for _, _, node, known in mappings(document) for name, _, _ in entries(node) if name not in known]
