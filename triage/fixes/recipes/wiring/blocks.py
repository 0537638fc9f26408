"""A whole block of a workflow, such as `concurrency`, copied from the workflows that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import yaml

from triage.fixes.document import line_start
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.nodes import child, entries
from triage.model.patch import Expectation


def copy_block(key: str, here: Situation) -> Outcome:
    """Before `jobs`, as most other workflows write it; refused where they do not agree."""
    if child(here.job.workflow.node, key) is not None:
        return InPlace(f"{here.job.path} already has `{key}`")
    blocks = Counter(_blocks(key, here))
    if not blocks:
        return Refusal(f"no other workflow has `{key}`")
    text, votes = blocks.most_common(1)[0]
    if votes * 2 <= blocks.total():
        return Refusal(f"the other workflows do not agree on `{key}`")
    document = here.job.document
    top = entries(here.job.workflow.node)
    at = [name for name, _, _ in top].index("jobs")
    if at == 0:
        return Refusal("`jobs` is the first key of the workflow", here.job.path)
    lines = text.split("\n")
    edits = insert_after(document, top[at - 1][2], ["", *lines], 0, why=f"{votes} other workflows have this `{key}`")
    promises = tuple(
        Expectation("value", f"{key}{place}={value}", here.target.job, here.job.path)
        for place, value in _scalars(text, key)
    )
    return Edited(edits, (f"{here.job.path}:{key}",), promises)


def _blocks(key: str, here: Situation) -> Iterator[str]:
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path) if path != here.job.path else Refusal("")
        if isinstance(workflow, Refusal):
            continue
        document = workflow.document
        for name, own, value in entries(workflow.node):
            if name == key:
                start = line_start(document.data, document.start(own))
                yield document.data[start : document.end(value)].decode().replace("\r\n", "\n")


def _scalars(text: str, key: str) -> Iterator[tuple[str, str]]:
    """The block's own scalars by their place below the key."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    value = child(node, key)
    if isinstance(value, yaml.ScalarNode):
        yield "", value.value
    for name, _, inner in entries(value):
        if isinstance(inner, yaml.ScalarNode):
            yield f".{name}", inner.value
