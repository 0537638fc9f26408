"""From a file of the tree to a workflow, and from a job to the layers of environment that its steps see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import yaml

from triage.fixes.evaluate.values import SiteKind, Value, known, unknown
from triage.fixes.refusal import ELSEWHERE, Refusal
from triage.fixes.workflow.expressions import Context, substitute
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.matrix import combinations
from triage.fixes.workflow.model import Combination, Job, Step, Workflow
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml, text_of
from triage.interfaces import Tree


def read_yaml(tree: Tree, path: str) -> YamlDocument | Refusal:
    return parse_yaml(path, tree.read(path)) if path in tree else Refusal("there is no such file", path)


def workflow_paths(tree: Tree) -> tuple[str, ...]:
    """The files that GitHub reads as workflows: directly in the folder, not below it."""
    return tuple(path for path in tree.paths() if is_workflow(path))


def load_workflow(tree: Tree, path: str) -> Workflow | Refusal:
    document = read_yaml(tree, path)
    if isinstance(document, Refusal):
        return document
    if not isinstance(document.root, yaml.MappingNode):
        return Refusal("a workflow must be a mapping", path, 1)
    if not isinstance(child(document.root, "jobs"), yaml.MappingNode):
        return Refusal("it has no jobs", path, 1)
    return Workflow(document, document.root)


def load_job(workflow: Workflow, job_id: str, inputs: Mapping[str, Value], callers: tuple[Job, ...]) -> Job | Refusal:
    node = workflow.job_node(job_id)
    if not isinstance(node, yaml.MappingNode):
        return Refusal(f"there is no job `{job_id}`", workflow.path)
    cells = combinations(workflow.document, node, {f"inputs.{name}".lower(): value for name, value in inputs.items()})
    return Job(workflow, node, job_id, cells, inputs, callers)


def callee(tree: Tree, job: Job, cell: Combination) -> tuple[Workflow, Mapping[str, Value]] | Refusal:
    """The reusable workflow that a job calls, and its inputs: those of `with:`, else the defaults declared there."""
    if not job.uses.startswith("./"):
        return Refusal(f"`{job.uses}` {ELSEWHERE}", job.path, job.line)
    workflow = load_workflow(tree, job.uses.removeprefix("./"))
    if isinstance(workflow, Refusal):
        return workflow
    context = job_context(job, cell)
    declared = child(workflow.node, "on", "workflow_call", "inputs")
    return workflow, inputs_of(job.document, child(job.node, "with"), workflow.document, declared, context)


def inputs_of(
    caller: YamlDocument,
    given: yaml.Node | None,
    document: YamlDocument,
    declared: yaml.Node | None,
    context: Context,
) -> dict[str, Value]:
    """Values of `with:` in the caller's context, else the declared defaults, else "" (an input that nobody sets)."""
    values: dict[str, Value] = {}
    for name, _, node in entries(declared):
        default = child(node, "default")
        values[name] = known("")
        if isinstance(default, yaml.ScalarNode):
            values[name] = substitute(document, default, {}, SiteKind.INPUT, name)
    for name, _, node in entries(given):
        if isinstance(node, yaml.ScalarNode):
            values[name] = substitute(caller, node, context, SiteKind.INPUT, name)
    return values


class Layers(NamedTuple):
    """What a step sees: the context of its expressions, and its environment, NAME -> value."""

    context: dict[str, Value]
    environment: dict[str, Value]
    # An `env:` that is an expression or an alias of one: any name may be set.
    open: bool = False


def job_context(job: Job, cell: Combination) -> dict[str, Value]:
    """Matrix values and inputs, without environment."""
    context = {f"inputs.{name}".lower(): value for name, value in job.inputs.items()}
    return context | dict(cell.values)


def job_layers(job: Job, cell: Combination) -> Layers:
    """Workflow, container and job `env`; the later wins. A called workflow sees none of its caller's."""
    layers = Layers(job_context(job, cell), {})
    if job.hands_script:
        return layers
    for node in (
        child(job.workflow.node, "env"),
        child(job.node, "container", "env") if isinstance(child(job.node, "container"), yaml.MappingNode) else None,
        child(job.node, "env"),
    ):
        layers = add_layer(layers, job.document, node)
    return layers


def step_layers(layers: Layers, step: Step) -> Layers:
    return add_layer(layers, step.document, child(step.node, "env"))


def add_layer(layers: Layers, document: YamlDocument, node: yaml.Node | None) -> Layers:
    """Entries of one `env:` see the layers before them, not each other."""
    if node is None or (isinstance(node, yaml.ScalarNode) and not text_of(node)):
        return layers
    if not isinstance(node, yaml.MappingNode):
        return layers._replace(open=True)
    added: dict[str, Value] = {}
    for name, _, value in entries(node):
        if isinstance(value, yaml.ScalarNode):
            added[name] = substitute(document, value, layers.context, SiteKind.YAML_ENV, name)
        else:
            added[name] = unknown(name)
    context = layers.context | {f"env.{name}".lower(): value for name, value in added.items()}
    return Layers(context, layers.environment | added, layers.open)
