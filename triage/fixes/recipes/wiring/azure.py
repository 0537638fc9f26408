"""`timeout` of a job, or of one task of it, that Azure Pipelines runs: its minutes stand in the pipeline's files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.gitlab import documents_of, minutes
from triage.fixes.recipes.wiring.limits import rounded
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, children, entries, every_node, text_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Expectation
from triage.model.recipe import Timeout

KEY = "timeoutInMinutes"
_FILES = re.compile(r"(?:.*/)?(?:\.?azure[\w.-]*|\.?pipelines?)(?:/.*)?\.ya?ml\Z", re.I)
# Pipelines of somebody else's project, which nobody runs here.
_FOREIGN = re.compile(r"(?:^|/)(?:third[_-]?party|3rd[_-]?party|vendor(?:ed)?|external|submodules|node_modules)/", re.I)
# By one of these keys a mapping is a task of a job: the limit of one is not the job's.
_TASKS = ("bash", "script", "task", "pwsh", "powershell", "checkout", "download", "publish")
# What a job or a task of these is called by.
_NAMES = ("displayName", "job", "label", "name", "task", "key")


@dataclass(frozen=True, slots=True)
class KeyedLimit:
    """`owner` is the mapping of the job, `place` its path, `key` the limit's name there; in minutes."""

    document: YamlDocument
    owner: yaml.MappingNode
    node: yaml.ScalarNode
    place: str
    key: str = KEY

    @property
    def where(self) -> str:
        return f"{self.document.path}:{self.document.line(self.node)}"


def raise_azure_timeout(
    recipe: Timeout, tree: Tree, target: Target, facts: Facts, captures: Mapping[str, str]
) -> Outcome:
    documents = [one for one in documents_of(tree, _FILES) if not _FOREIGN.search(one.path)]
    every = [one for document in documents for one in limits_of(document, document.root, KEY)]
    found = [one for one in every if not any(child(one.owner, name) is not None for name in _TASKS)]
    owners = [node for one in documents for node in _jobs(one.root)]
    if stands(recipe, every):
        return InPlace(f"{recipe.settled} stands already")
    if task := captures.get("task", "").strip():
        return _of_task(recipe, every, task, target)
    ended = minutes(captures.get("limit", ""))
    same = [one for one in found if ended is not None and decimal(one.node.value) == ended]
    meant = _meant(same, owners, facts, target)
    if not meant and len(same) == 1:
        return Refusal(f"the log is of another job than the one that has this limit: {same[0].where}")
    if not meant:
        said = f"no {KEY} of the repository is the limit that the log speaks of"
        return Refusal(f"several jobs have it: {', '.join(one.where for one in same[:4])}" if same else said)
    return raised_at(recipe, meant[0], target)


def _of_task(recipe: Timeout, every: Sequence[KeyedLimit], task: str, target: Target) -> Outcome:
    """A task that was ended has a limit of its own: that of its job ends the job."""
    told = [one for one in every if decimal(one.node.value) is not None]
    named = [one for one in told if text_of(child(one.owner, "displayName")) == task]
    meant = [one for one in named if any(child(one.owner, name) is not None for name in _TASKS)]
    if len(meant) != 1:
        several = f"several tasks are called {task}: {', '.join(one.where for one in meant[:4])}"
        return Refusal(several if meant else f"no task that is called {task} has a {KEY}")
    return raised_at(recipe, meant[0], target)


def stands(recipe: Timeout, found: Sequence[KeyedLimit]) -> bool:
    return bool(recipe.settled) and recipe.settled in (_mark(one, one.node.value) for one in found)


def _mark(limit: KeyedLimit, text: str) -> str:
    return f"{limit.key} {text} at {limit.where}"


def raised_at(recipe: Timeout, limit: KeyedLimit, target: Target) -> Outcome:
    held, most = decimal(limit.node.value) or Decimal(0), Decimal(recipe.at_most_minutes)
    if held >= most:
        return InPlace(f"{limit.key} is {limit.node.value} already, the most that is allowed is {most}")
    wanted = min(rounded(held * Decimal(recipe.factor)), most)
    text = f"{wanted.normalize():f}"
    why = f"{limit.node.value} minutes were not enough"
    edits = splice_scalar(limit.document, limit.node, 0, len(limit.node.value), text, why=why)
    if isinstance(edits, Refusal):
        return edits
    path = limit.document.path
    promise = Expectation("value", f"{limit.place}={text}", target.job, path)
    cost = f"a hang now holds the machine for up to {text} minutes instead of {limit.node.value}"
    done = replace(recipe, settled=_mark(limit, text))
    return Edited(edits, (f"{path}:{limit.place}",), (promise,), costs=(cost,), settled=done)


def _meant(same: Sequence[KeyedLimit], owners: Sequence[yaml.Node], facts: Facts, target: Target) -> list[KeyedLimit]:
    """The one job with that limit, unless the log is another job's, which then has Azure's own limit; of several the
    one whose name, or most of whose tasks, the log shows."""
    named = [one for one in owners if target.job.strip() in _called(one)]
    if len(named) == 1:
        return [one for one in same if one.owner is named[0]]
    shown = {id(one): sum(name in facts.started for name in _every_name(one)) for one in owners}
    most = max(shown.values(), default=0)
    best = [one for one in owners if most and shown[id(one)] == most]
    if len(same) != 1:
        most = max((shown.get(id(one.owner), 0) for one in same), default=0)
        fits = [one for one in same if most and shown.get(id(one.owner), 0) == most]
        return fits if len(fits) == 1 else []
    others = [one for one in best if _mostly_shown(one, shown[id(one)]) and one is not same[0].owner]
    return [] if len(others) == 1 == len(best) else list(same)


def _mostly_shown(owner: yaml.Node, shown: int) -> bool:
    return 2 * shown >= len(_every_name(owner) - _called(owner))


def _jobs(node: yaml.Node | None) -> Iterator[yaml.Node]:
    """The mappings of jobs, the outermost ones."""
    if any(child(node, name) is not None for name in ("job", "deployment", KEY, "steps")) and node is not None:
        yield node
    else:
        for one in children(node) if node is not None else ():
            yield from _jobs(one)


def _called(owner: yaml.Node | None) -> set[str]:
    return {text_of(child(owner, name)) for name in _NAMES} - {""}


def _every_name(node: yaml.Node) -> set[str]:
    return {name for one in every_node(node) for name in _called(one)}


def limits_of(document: YamlDocument, node: yaml.Node | None, key: str, place: str = "") -> Iterator[KeyedLimit]:
    if isinstance(node, yaml.MappingNode):
        for name, _, value in entries(node):
            below = f"{place}.{name}" if place else name
            if name == key and isinstance(value, yaml.ScalarNode):
                yield KeyedLimit(document, node, value, below, key)
            elif id(value) not in document.aliased:
                yield from limits_of(document, value, key, below)
    elif isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            yield from limits_of(document, item, key, f"{place}[{at}]")
