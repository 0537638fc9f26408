"""Calls of a workflow file that is not there, and what a called workflow says of itself that GitHub does not take."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.wiring.callings import is_demanded
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import replace_scalar, set_key
from triage.fixes.yaml.nodes import YamlDocument, child, entries, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation

_WORD = re.compile(r"[a-z]+|[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_LOCAL = ".github/workflows/"


def gone_callees(tree: Tree, document: YamlDocument) -> Iterator[Outcome]:
    """`uses: ./.github/workflows/x.yml` of a file that is not there, or of one without the `./` that makes it local."""
    for job, _, node in entries(child(document.root, "jobs")):
        used = child(node, "uses")
        said = text_of(used)
        path = said.removeprefix("./")
        if not isinstance(used, yaml.ScalarNode) or not path.startswith(_LOCAL) or "${{" in said:
            continue
        meant = path.partition("@")[0] if "@" in path and path.partition("@")[0] in tree else path
        if meant in tree and said != f"./{meant}":
            yield _called(document, used, f"./{meant}", job, "a file of this repository is called with `./` and no ref")
        elif meant not in tree:
            chosen = _meant(tree, document, node, path)
            where = (document.path, document.line(used))
            gone = Refusal(f"there is no {path}, and no one workflow that may be called resembles it", *where)
            yield _called(document, used, f"./{chosen}", job, f"there is no {path}") if chosen else gone


def called_workflows(tree: Tree, document: YamlDocument) -> list[str]:
    """The files of the repository that the jobs of a workflow call."""
    used = [text_of(child(node, "uses")) for _, _, node in entries(child(document.root, "jobs"))]
    return [path for one in used if (path := one.removeprefix("./")) in tree and is_workflow(path)]


def _called(document: YamlDocument, used: yaml.ScalarNode, new: str, job: str, why: str) -> Outcome:
    edits = replace_scalar(document, used, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"jobs.{job}.uses"
    return Edited(edits, (f"{document.path}:{place}",), (Expectation("value", f"{place}={new}", job, document.path),))


def _meant(tree: Tree, document: YamlDocument, job: yaml.Node, gone: str) -> str:
    """The workflow that may be called, takes what the job hands over, and has the other's words; "" for none."""
    fitting = [path for path in workflow_paths(tree) if path != document.path and _takes(tree, path, job)]
    words = _words(gone)
    within = [path for path in fitting if _words(path) and (_words(path) <= words or words <= _words(path))]
    if len(within) == 1:
        return within[0]
    stems = {_stem(path): path for path in fitting}
    return stems.get(resembling(_stem(gone), stems), "")


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _words(path: str) -> set[str]:
    return set(_WORD.findall(_stem(path).lower()))


def _takes(tree: Tree, path: str, job: yaml.Node) -> bool:
    workflow = load_workflow(tree, path)
    if not isinstance(workflow, Workflow) or "workflow_call" not in workflow.triggers:
        return False
    declared = child(workflow.node, "on", "workflow_call", "inputs")
    known = {name: node for name, _, node in entries(declared)}
    given = {name for name, _, _ in entries(child(job, "with"))}
    demanded = {name for name, node in known.items() if is_demanded(node)}
    return given <= set(known) and demanded <= given


def untyped_inputs(document: YamlDocument) -> Iterator[Outcome]:
    """Every input of a called workflow has a type: that of its default, else text, which takes any value."""
    for name, _, node in entries(child(document.root, "on", "workflow_call", "inputs")):
        known = {"description", "required", "default"}
        keys = {key for key, _, _ in entries(node)}
        if isinstance(node, yaml.MappingNode) and keys and keys <= known:
            default = child(node, "default")
            kind = _kind(default) if isinstance(default, yaml.ScalarNode) and not default.style else "string"
            edits = set_key(document, node, "type", kind, why="an input of a called workflow needs a type")
            place = f"on.workflow_call.inputs.{name}.type"
            promise = Expectation("value", f"{place}={kind}", "", document.path)
            yield edits if isinstance(edits, Refusal) else Edited(edits, (f"{document.path}:{place}",), (promise,))


def _kind(default: yaml.ScalarNode) -> str:
    if default.value in ("true", "false"):
        return "boolean"
    return "number" if _NUMBER.match(default.value) else "string"
