"""Calls of reusable workflows that GitHub refuses, and inputs that are declared where none may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import line_end, line_start
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.wiring.permissions import OF_STRANGERS
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

# What an input, or a secret, is described by.
_OF_INPUT = frozenset({"description", "required", "default", "type", "options", "deprecationMessage"})
# Contexts whose content differs from job to job and from event to event.
_READ = re.compile(r"\b(?P<context>needs|matrix|inputs|secrets|github)\.(?P<name>[\w-]+)")
_OF_EVENT = ("inputs", "outputs", "secrets")


def inputs_beside(document: YamlDocument) -> Iterator[Outcome]:
    """`workflow_dispatch: {version: {type: choice}}`: inputs belong below `inputs`."""
    for event in ("workflow_dispatch", "workflow_call"):
        held = child(document.root, "on", event)
        names = [name for name, _, _ in entries(held)]
        if not names or any(name in _OF_EVENT for name in names):
            continue
        if isinstance(held, yaml.MappingNode) and all(_describes(value) for _, _, value in entries(held)):
            yield _below_inputs(document, held, event)


def _describes(node: yaml.Node) -> bool:
    keys = {name for name, _, _ in entries(node)}
    return bool(keys) and keys <= _OF_INPUT


def _below_inputs(document: YamlDocument, held: yaml.MappingNode, event: str) -> Outcome:
    data, first = document.data, held.value[0][0]
    if held.flow_style:
        return Refusal("inputs in one line", document.path, document.line(held))
    start, end = line_start(data, document.start(first)), line_end(data, document.end(held))
    eol = b"\r\n" if b"\r\n" in data[start:end] else b"\n"
    lines = [b"  " + line if line.strip() else line for line in data[start:end].split(b"\n")]
    new = b" " * first.start_mark.column + b"inputs:" + eol + b"\n".join(lines)
    edit = Edit(document.path, start, end, new, f"what `{event}` takes is listed below `inputs`")
    declared = tuple(
        f"{document.path}:on.{event}.{name}" for name in ("inputs", *(name for name, _, _ in entries(held)))
    )
    promises = tuple(
        Expectation("value", f"on.{event}.inputs.{name}.{key}={text_of(value)}", "", document.path)
        for name, _, node in entries(held)
        for key, _, value in entries(node)
        if isinstance(value, yaml.ScalarNode)
    )
    return Edited((edit,), declared, promises)


def calls(tree: Tree, document: YamlDocument) -> Iterator[Outcome]:
    """What a job hands to a workflow of the repository, by what that one declares."""
    for job, _, node in entries(child(document.root, "jobs")):
        called = text_of(child(node, "uses"))
        workflow = load_workflow(tree, called.removeprefix("./")) if called.startswith("./") else None
        if isinstance(workflow, Workflow) and isinstance(document.root, yaml.MappingNode):
            yield from _call(tree, Workflow(document, document.root), job, node, called, workflow)


def _call(
    tree: Tree, caller: Workflow, job: str, node: yaml.Node, called: str, workflow: Workflow
) -> Iterator[Outcome]:
    declared = child(workflow.node, "on", "workflow_call")
    known = [name for name, _, _ in entries(child(declared, "inputs"))]
    slips = _slips(node, known)
    yield from _misnamed(caller.document, job, node, slips)
    for key, kind in (("secrets", "secrets"), ("with", "inputs")):
        given = child(node, key)
        names = {slips.get(name, name).lower() for name, _, _ in entries(given)}
        if given is not None and not isinstance(given, yaml.MappingNode):
            continue  # `secrets: inherit`
        demanded = [name for name, _, one in entries(child(declared, kind)) if is_demanded(one)]
        lacking = [name for name in demanded if name.lower() not in names]
        if lacking:
            yield _handed(tree, caller, job, node, called, key, lacking)


def is_demanded(node: yaml.Node) -> bool:
    return text_of(child(node, "required")) == "true" and child(node, "default") is None


def _handed(
    tree: Tree, caller: Workflow, job: str, node: yaml.Node, called: str, key: str, lacking: list[str]
) -> Outcome:
    """As every other call hands it over; a secret of that name that the repository's workflows use is passed on."""
    document, pairs = caller.document, []
    where = f"{document.path}:{document.line(node)}"
    if key == "secrets" and (strangers := sorted(caller.triggers & OF_STRANGERS)):
        return Words(
            f"{where} runs on `{strangers[0]}`, which strangers set off: hand {', '.join(lacking)} over only "
            "where it runs nothing of theirs"
        )
    for name in lacking:
        written = _written_elsewhere(tree, called, key, name)
        used = f"${{{{ secrets.{name} }}}}"
        if not written and key == "secrets" and any(used.encode() in tree.read(path) for path in workflow_paths(tree)):
            written = {used}
        if len(written) != 1:
            return Refusal(f"{called} demands `{name}`, and its other callers do not agree on one", document.path)
        text = written.pop()
        if foreign := _unknown_here(caller, node, text):
            return Refusal(f"{called} demands `{name}`, and `{foreign}` means nothing in {job}", document.path)
        pairs.append((name, text))
    edits = add_entries(document, node, key, pairs, why=f"{called} demands it")
    if isinstance(edits, Refusal):
        return edits
    place = f"jobs.{job}.{key}"
    held = [f".{name}" for name, _ in pairs] if child(node, key) is not None else [""]
    promises = tuple(
        Expectation("value", f"{place}.{name}={text.strip(chr(34) + chr(39))}", job, document.path)
        for name, text in pairs
    )
    return Edited(edits, tuple(f"{document.path}:{place}{one}" for one in held), promises)


def _unknown_here(caller: Workflow, node: yaml.Node, text: str) -> str:
    """What an expression of another call reads that this job does not have; "" when it has all."""
    needs = [text_of(one) for one in items(child(node, "needs"))]
    declared = child(caller.node, "on", "workflow_call")
    inputs = [child(caller.node, "on", event, "inputs") for event in ("workflow_dispatch", "workflow_call")]
    for found in _READ.finditer(text):
        context, name = found["context"], found["name"]
        known = {
            "needs": name in needs,
            "matrix": child(node, "strategy", "matrix", name) is not None,
            "inputs": any(child(one, name) is not None for one in inputs),
            # What calls this workflow hands over no secret that it does not declare.
            "secrets": name == "GITHUB_TOKEN"
            or "workflow_call" not in caller.triggers
            or child(declared, "secrets", name) is not None,
        }
        if not known.get(context, name != "event"):
            return found[0]
    return ""


def _written_elsewhere(tree: Tree, called: str, key: str, name: str) -> set[str]:
    """What other calls of the workflow write for it, as text of one line."""
    found: set[str] = set()
    for path in workflow_paths(tree):
        workflow = load_workflow(tree, path)
        for job in workflow.job_ids if isinstance(workflow, Workflow) else ():
            node = workflow.job_node(job)  # type: ignore[union-attr]
            value = child(node, key, name) if text_of(child(node, "uses")) == called else None
            if isinstance(value, yaml.ScalarNode) and "\n" not in value.value:
                held = workflow.document  # type: ignore[union-attr]
                found.add(held.data[held.start(value) : held.end(value)].decode())
    return found


def _slips(node: yaml.Node, known: list[str]) -> dict[str, str]:
    """Inputs that the workflow does not declare, each with the one that is spelled nearly alike; "" for none."""
    given = [name for name, _, _ in entries(child(node, "with"))]
    free = [one for one in known if one not in given]
    unknown = [name for name in given if name.lower() not in {one.lower() for one in known}]
    return {name: resembling(name, free) for name in unknown}


def _misnamed(document: YamlDocument, job: str, node: yaml.Node, slips: dict[str, str]) -> Iterator[Outcome]:
    for name, key, value in entries(child(node, "with")):
        if name not in slips:
            continue
        new = slips[name]
        if not new:
            yield Refusal(f"`{name}` is no input of the workflow that {job} calls", document.path, document.line(key))
            continue
        edit = Edit(document.path, document.start(key), document.end(key), new.encode(), f"it has no input `{name}`")
        place = f"jobs.{job}.with"
        promise = Expectation("value", f"{place}.{new}={text_of(value)}", job, document.path)
        declares = (f"{document.path}:{place}.{name}", f"{document.path}:{place}.{new}")
        yield Edited((edit,), declares, (promise,) if isinstance(value, yaml.ScalarNode) else ())
