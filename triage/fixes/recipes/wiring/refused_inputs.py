"""`repair_workflow` with `refused`: what a job hands to a workflow elsewhere that does not take it any more."""

from __future__ import annotations

from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import remove_below
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation

# What GitHub calls it -> the key below which a job hands it over.
_KEYS = {"input": "with", "secret": "secrets"}


def drop_refused(tree: Tree, path: str, kind: str, name: str) -> Outcome | None:
    """Takes it from every call of a workflow that is not in the tree. None where one of the repository is called: what
    that one takes can be read, so a slip in the name can be told from an input that is gone."""
    key = _KEYS.get(kind, "")
    if not key or not name:
        return None
    if path not in tree:
        return Refusal("there is no such file", path)
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return document
    calling = [
        (job, node) for job, _, node in entries(child(document.root, "jobs")) if child(node, key, name) is not None
    ]
    if not calling:
        return InPlace(f"no job of {path} hands over `{name}`")
    if any(text_of(child(node, "uses")).startswith("./") for _, node in calling):
        return None
    if len({text_of(child(node, "uses")).partition("@")[0] for _, node in calling}) > 1:
        lines = ", ".join(f"{path}:{document.line(node)}" for _, node in calling)
        return Words(f"several workflows are handed `{name}`: {lines}")
    made = together([_without(document, job, node, key, name) for job, node in calling])
    called = text_of(child(calling[0][1], "uses")).partition("@")[0]
    return replace(made, title=f"Hand {called} no `{name}`") if isinstance(made, Edited) else made


def _without(document: YamlDocument, job: str, node: yaml.Node, key: str, name: str) -> Outcome:
    mapping, place = child(node, key), f"jobs.{job}"
    if not isinstance(mapping, yaml.MappingNode) or id(mapping) in document.aliased:
        return Refusal(f"`{name}` cannot be removed by lines alone", document.path, document.line(node))
    removed = remove_below(document, node, mapping, key, name, why="the called workflow does not define it")
    if isinstance(removed, Refusal):
        return removed
    promise = Expectation("value", f"{place}.uses={text_of(child(node, 'uses'))}", job, document.path)
    return Edited(removed[0], (f"{document.path}:{place}.{removed[1]}",), (promise,))
