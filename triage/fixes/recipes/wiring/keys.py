"""`set_key`: one scalar of the job, by its dotted YAML path, given or copied from a sibling; or a whole block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.blocks import copy_block
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.edits import set_key as set_entry
from triage.fixes.yaml.nodes import child
from triage.model.patch import Edit, Expectation
from triage.model.recipe import SetKey

# Keys of the workflow itself that a path may name although it is relative to the job.
_WORKFLOW_KEYS = ("concurrency",)
# What a job that calls a workflow may say of itself.
_OF_CALLS = ("concurrency", "if", "name", "needs", "permissions", "strategy", "with")


def set_key(recipe: SetKey, here: Situation) -> Outcome:
    if recipe.copy_from_sibling and recipe.path in _WORKFLOW_KEYS:
        return copy_block(recipe.path, here)
    wanted = _sibling_value(recipe, here) if recipe.copy_from_sibling else here.fill(recipe.to)
    if isinstance(wanted, Refusal):
        return wanted
    owner, place = _owner(recipe.path, here.job)
    keys = recipe.path.split(".")
    if here.job.uses and keys[0] not in _OF_CALLS:
        return Refusal(f"a job that calls a workflow takes no {keys[0]}", here.job.path, here.job.line)
    node = child(owner, *keys)
    if node is None:
        return _added(recipe, here, owner, place, wanted)
    if not isinstance(node, yaml.ScalarNode):
        return Refusal(f"{recipe.path} is no single value", here.job.path, node.start_mark.line + 1)
    if node.value == wanted:
        return InPlace(f"{recipe.path} is already `{wanted}`")
    if recipe.only_missing:
        return Refusal(f"{recipe.path} is `{node.value}` already", here.job.path, node.start_mark.line + 1)
    if recipe.from_value and node.value != recipe.from_value:
        return Refusal(f"{recipe.path} is `{node.value}`, and the fix is for {recipe.from_value}", here.job.path)
    edits = replace_scalar(here.job.document, node, wanted, why=f"{recipe.path} was {node.value}")
    return _edited(here, edits, f"{place}{recipe.path}", wanted)


def _owner(path: str, job: Job) -> tuple[yaml.Node, str]:
    if path.split(".")[0] in _WORKFLOW_KEYS and child(job.node, path.split(".")[0]) is None:
        return job.workflow.node, ""
    return job.node, f"jobs.{job.id}."


def _added(recipe: SetKey, here: Situation, owner: yaml.Node, place: str, wanted: str) -> Outcome:
    """A key that is not there yet is added to the mapping that should hold it, which must be there."""
    if recipe.from_value:
        return Refusal(f"{here.job.id} has no {recipe.path}", here.job.path, here.job.line)
    *parents, key = recipe.path.split(".")
    holder = child(owner, *parents) if parents else owner
    if holder is None:
        return Refusal(f"{here.job.id} has no {'.'.join(parents)}", here.job.path, here.job.line)
    edits = set_entry(here.job.document, holder, key, wanted, why=f"{here.job.id} has no {recipe.path} yet")
    return _edited(here, edits, f"{place}{recipe.path}", wanted)


def _edited(here: Situation, edits: tuple[Edit, ...] | Refusal, place: str, wanted: str) -> Outcome:
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={wanted}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,))


def _sibling_value(recipe: SetKey, here: Situation) -> str | Refusal:
    """What most siblings have: jobs of the same file first, then those of other files."""
    for jobs in (_others(here, same=True), _others(here, same=False)):
        counted = Counter(_value(recipe.path, job) for job in jobs)
        counted.pop("", None)
        if counted:
            value, votes = counted.most_common(1)[0]
            if votes * 2 > counted.total():
                return value
            return Refusal(f"the siblings do not agree on {recipe.path}")
    return here.fill(recipe.to) if recipe.to else Refusal(f"no sibling has {recipe.path}")


def _value(path: str, job: Job) -> str:
    owner, _ = _owner(path, job)
    node = child(owner, *path.split("."))
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _others(here: Situation, *, same: bool) -> Iterator[Job]:
    for path in workflow_paths(here.tree):
        if (path == here.job.path) is same:
            workflow = load_workflow(here.tree, path)
            for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
                if (job.path, job.id) != (here.job.path, here.job.id):
                    yield job
