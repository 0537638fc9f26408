"""A file that a program puts together from a folder of its own and a name that the workflow gives it: in a matrix, an
input or a variable. The name is mended where the folder holds the file that it is meant for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import yaml

from triage.fixes.document import line_with
from triage.fixes.recipes.commands.homes import cased, misspelt
from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation, as_promised


def named_alone(tree: Tree, workflow: Workflow, job: yaml.Node, name: str, missing: str) -> Outcome | None:
    """`name` is what the failed job is called. None where no value of it names the file, or nothing in the folder is
    meant by it."""
    document = workflow.document
    path = "" if is_typed(document.path) else _in_repository(tree, missing)
    own = (child(job, "strategy"), child(job, "with"), child(job, "env"), child(workflow.node, "env"))
    found = [one for part in own for one in _values(part, missing)] if path else []
    meant = (cased(tree, path) or misspelt(tree, path)) if found else ""
    outcomes = [_renamed(document, node, path, meant, name) for node in found] if meant else []
    return together(outcomes) if outcomes else None


def of_caller(tree: Tree, target: Target, missing: str) -> Outcome | None:
    """The same for a job that only calls another workflow: nothing in it can be evaluated."""
    workflow = load_workflow(tree, target.workflow_path) if target.workflow_path and missing else None
    if not isinstance(workflow, Workflow):
        return None
    called = target.job.partition(" / ")[0]
    for key, _, node in entries(child(workflow.node, "jobs")):
        if child(node, "uses") is not None and called in (key, text_of(child(node, "name"))):
            return named_alone(tree, workflow, node, target.job, missing)
    return None


def _in_repository(tree: Tree, missing: str) -> str:
    """The path behind the folder of the checkout, which is that of the longest end whose folder the tree has."""
    parts = posixpath.normpath(missing).strip("/").split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts) - 1))
    folders = {posixpath.dirname(one) for one in tree.paths()}
    return next((one for one in ends if posixpath.dirname(one) in folders), "")


def _values(part: yaml.Node | None, missing: str) -> Iterator[yaml.ScalarNode]:
    for node in every_node(part):
        text = node.value if isinstance(node, yaml.ScalarNode) else ""
        if isinstance(node, yaml.ScalarNode) and text and missing.endswith(f"/{text}"):
            yield node


def _renamed(document: YamlDocument, node: yaml.ScalarNode, path: str, meant: str, job: str) -> Outcome:
    folder = path.removesuffix(node.value)
    if not meant.startswith(folder):
        return Refusal(f"{meant} is not in {folder}", document.path, document.line(node))
    new = meant.removeprefix(folder)
    edits = replace_scalar(document, node, new, why=f"{folder} holds {new}, and no {node.value}")
    if isinstance(edits, Refusal):
        return edits
    line = line_with(document.data, edits[0].start, edits[0].end, edits[0].new)
    promise = Expectation("line", as_promised(line), job, document.path)
    return Edited(edits, (document.path,), (promise,), title=f"Name {new} in {document.path}")
