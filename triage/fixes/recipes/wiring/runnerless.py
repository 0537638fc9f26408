"""A job with steps and no `runs-on`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import insert_before
from triage.fixes.yaml.nodes import YamlDocument, child, entries, text_of
from triage.model.patch import Expectation

# Machines of GitHub that run what any machine can.
_HOSTED = re.compile(r"[\"']?ubuntu-(?:latest|[0-9.]+)[\"']?\Z")
# Steps that ask for a device, or for what a machine of one's own has.
_DEVICE = re.compile(r"cuda|gpu|nvidia|rocm|\bhip\b|npu|torchrun|accelerate launch|/home/|/mnt/|/data/", re.I)


def without_runner(document: YamlDocument) -> Iterator[Outcome]:
    """The runner that all other jobs of the file have; where these differ, GitHub's own one among them, for a job that
    asks for no device."""
    jobs = entries(child(document.root, "jobs"))
    lacking = [(name, node) for name, _, node in jobs if child(node, "steps") is not None and not _runs(node)]
    written = Counter(_written(document, node) for _, _, node in jobs if child(node, "runs-on") is not None)
    for name, node in lacking:
        runner, why = _runner(document, written, node)
        if not runner or not isinstance(node, yaml.MappingNode) or node.flow_style:
            yield Refusal(
                f"`{name}` has no `runs-on`, and its siblings do not agree on one", document.path, document.line(node)
            )
            continue
        key = _first_behind_name(node)
        edits = insert_before(document, key, [f"runs-on: {runner}"], key.start_mark.column, why=why)
        promise = Expectation("line", f"runs-on: {runner}", name, document.path)
        yield Edited(edits, (f"{document.path}:jobs.{name}.runs-on",), (promise,))


def _runner(document: YamlDocument, written: Counter[str], job: yaml.Node) -> tuple[str, str]:
    """What is written there, and why; "" where nothing says it."""
    if len(written) == 1:
        return next(iter(written)), "the other jobs of the workflow run there"
    hosted = foremost(text for text in written.elements() if _HOSTED.match(text))
    text = document.data[document.start(job) : document.end(job)].decode("utf-8", "replace")
    if hosted is None or _DEVICE.search(text):
        return "", ""
    return hosted[0], "the workflow's jobs that need no machine of their own run there"


def _first_behind_name(job: yaml.MappingNode) -> yaml.Node:
    keys = [key for key, _ in job.value]
    named = len(keys) > 1 and text_of(keys[0]) == "name" and keys[0].start_mark.line < keys[1].start_mark.line
    first: yaml.Node = keys[1] if named else keys[0]
    return first


def _runs(job: yaml.Node) -> bool:
    """Whether it has a runner, or a key that may be meant for it."""
    return any(get_close_matches(name.replace("_", "-"), ("runs-on",), cutoff=0.8) for name, _, _ in entries(job))


def _written(document: YamlDocument, job: yaml.Node) -> str:
    node = child(job, "runs-on")
    return document.data[document.start(node) : document.end(node)].decode() if node is not None else ""
