"""`quote_version`: `3.10` without quotes is the number 3.1 to YAML, and that is what the job asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.wiring.called import called_workflows
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.files import is_action
from triage.fixes.workflow.load import read_yaml, workflow_paths
from triage.fixes.yaml.nodes import YamlDocument, every_node, items, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import QuoteVersion

_SHORT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})?\Z")
_LOST = re.compile(r"[0-9]{1,3}\.[0-9]{0,2}0\Z")
_NUMBER = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\Z")
# Minutes and shares are numbers too; what is a version says so somewhere on its path, or is a value of a matrix.
_OF_VERSIONS = re.compile(r"version|matrix|python|\bpy|node|ruby|java|golang|\bgo\b|cuda|torch|image|tag|release", re.I)
# Where other services keep what they run.
_ELSEWHERE = (".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", ".buildkite/pipeline.yml", ".travis.yml")
_WHY = "without quotes YAML reads it as the number {0}"


def quote_version(recipe: QuoteVersion, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    """In the failed job's workflow and those that it hangs together with, wherever the zero stands: each is lost."""
    asked = captures.get(recipe.version.strip("{}"), "").removeprefix("v")
    if _SHORT.match(asked) is None:
        return Refusal(f"`{asked}` is no number that lost a zero")
    documents = [one for path in _files(tree, target) if (one := _read(tree, path)) is not None]
    found = ((document, list(_lost(document.root, "", asked))) for document in documents)
    document, lost = next((one for one in found if one[1]), (None, []))
    if document is None and any(_stands(one, asked) for one in documents):
        return InPlace("the version stands in quotes")
    if document is None:
        return Refusal(f"no file that the job is made of has an unquoted version that YAML reads as {asked}")
    made = together([_quoted(document, node, place, target.job, asked) for node, place in lost])
    whole = next(node.value for node, _ in lost if _is_lost(node, asked))
    return replace(made, title=f"Ask for {whole}, in quotes") if isinstance(made, Edited) else made


def _files(tree: Tree, target: Target) -> list[str]:
    """The failed job's file, those that it calls and those that call it, and the repository's own actions; where no
    workflow is named, every file that a service runs."""
    own = target.workflow_path
    if not own:
        return [*workflow_paths(tree), *(path for path in _ELSEWHERE if path in tree)]
    document = _read(tree, own)
    called = called_workflows(tree, document) if document is not None else []
    callers = [path for path in workflow_paths(tree) if own != path and f"./{own}".encode() in tree.read(path)]
    actions = [path for path in tree.paths() if path.startswith(".github/") and is_action(path)]
    return list(dict.fromkeys([own, *called, *callers, *actions]))


def _read(tree: Tree, path: str) -> YamlDocument | None:
    document = read_yaml(tree, path)
    return None if isinstance(document, Refusal) else document


def _stands(document: YamlDocument, asked: str) -> bool:
    quoted = (one for one in every_node(document.root) if isinstance(one, yaml.ScalarNode) and one.style in ("'", '"'))
    return any(_reads_as(one.value, asked) for one in quoted)


def _lost(node: yaml.Node | None, place: str, asked: str) -> Iterator[tuple[yaml.ScalarNode, str]]:
    """Each scalar that YAML reads as what was asked for, with the plain numbers of its list, written alike."""
    if _is_lost(node, asked) and _OF_VERSIONS.search(place):
        yield node, place  # type: ignore[misc] # a scalar
    elif isinstance(node, yaml.SequenceNode):
        beside = any(_is_lost(one, asked) for one in items(node)) and _OF_VERSIONS.search(place)
        for index, one in enumerate(node.value):
            if beside and isinstance(one, yaml.ScalarNode) and not one.style and _NUMBER.match(one.value):
                yield one, f"{place}[{index}]"
            else:
                yield from _lost(one, f"{place}[{index}]", asked)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _lost(value, f"{place}.{text_of(key)}".lstrip("."), asked)


def _is_lost(node: yaml.Node | None, asked: str) -> bool:
    return isinstance(node, yaml.ScalarNode) and not node.style and _reads_as(node.value, asked)


def _reads_as(text: str, asked: str) -> bool:
    return _LOST.match(text) is not None and text.rstrip("0").rstrip(".") == asked


def _quoted(document: YamlDocument, node: yaml.ScalarNode, place: str, job: str, asked: str) -> Outcome:
    start, end = document.start(node), document.end(node)
    if id(node) in document.aliased or document.data[start:end] != node.value.encode():
        return Refusal("the version is shared through an anchor", document.path, document.line(node))
    why = _WHY.format(asked) if _is_lost(node, asked) else "as the other items of the list are written"
    edit = Edit(document.path, start, end, f'"{node.value}"'.encode(), why)
    promise = Expectation("value", f"{place}={node.value}", job, document.path)
    return Edited((edit,), (f"{document.path}:{place}",), (promise,))
