"""The release of a linter that the repository holds: in its pre-commit configuration, in a requirement, in the lock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from triage.fixes.refusal import Refusal
from triage.fixes.requirements import in_file, in_pyproject, locked, normalised, requirement_files
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml, text_of
from triage.interfaces import Tree

CONFIGURATION = ".pre-commit-config.yaml"
_RELEASE = re.compile(r"v?([0-9]+(?:\.[0-9]+)+(?:(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?)\Z")
_EXACT = re.compile(r"={2,3}\s*([0-9]+(?:\.[0-9]+)+(?:(?:a|b|rc)[0-9]+)?)\s*\Z")


@dataclass(frozen=True, slots=True)
class Held:
    """A release and the line that holds it."""

    release: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of the pre-commit configuration; `repository` and `at` are the places of the two in the file."""

    name: str
    node: yaml.MappingNode
    repository: yaml.MappingNode
    place: str


def held_release(tree: Tree, name: str) -> Held | None:
    """The first that holds one: what people run locally comes before what is only locked."""
    return next(_holding(tree, normalised(name)), None)


def _holding(tree: Tree, name: str) -> Iterator[Held]:
    document = configuration(tree)
    for hook in () if isinstance(document, Refusal) else hooks(document):
        revision = child(hook.repository, "rev")
        release = _RELEASE.match(text_of(revision))
        if release and isinstance(document, YamlDocument) and revision is not None and _runs(hook.name, name):
            yield Held(release[1], CONFIGURATION, document.line(revision))
    named = [one for path in requirement_files(tree) for one in in_file(tree, path)] + list(in_pyproject(tree))
    for one in named:
        exact = _EXACT.match(one.pin) if one.name == name else None
        if exact:
            yield Held(exact[1], one.path, one.line)
    version = locked(tree).get(name, "")
    if version:
        yield Held(version, "uv.lock", 0)


def _runs(hook: str, tool: str) -> bool:
    """Hooks are called after their program: `ruff`, `ruff-format`."""
    return hook == tool or hook.startswith(f"{tool}-")


def configuration(tree: Tree) -> YamlDocument | Refusal:
    if CONFIGURATION not in tree:
        return Refusal(f"the repository has no {CONFIGURATION}")
    return parse_yaml(CONFIGURATION, tree.read(CONFIGURATION))


def hooks(document: YamlDocument) -> Iterator[Hook]:
    repositories = child(document.root, "repos")
    for at, repository in enumerate(_mappings(repositories)):
        for index, hook in enumerate(_mappings(child(repository, "hooks"))):
            yield Hook(text_of(child(hook, "id")), hook, repository, f"repos[{at}].hooks[{index}]")


def _mappings(node: yaml.Node | None) -> list[yaml.MappingNode]:
    """Empty where an item is none: then places could not be counted."""
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return items if all(isinstance(item, yaml.MappingNode) for item in items) else []
