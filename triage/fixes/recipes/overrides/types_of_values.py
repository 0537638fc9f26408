"""`fit_type`: a value of a configuration that is right but for its type: what a program says that it must be, it is
written as. A mapping where a list of them is wanted, a number where a text is, a table that holds nothing but the word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import yaml

from triage.fixes.document import line_end, line_of, line_start, offset_of
from triage.fixes.manifests import toml
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.types_in_toml import NUMBER, QUOTED, MadeAs, in_toml
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import CONFIGURATIONS, named_files
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import FitType

_KEY = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+){0,8}\Z")
_ENDS = (*CONFIGURATIONS, ".toml")
# What needs no quotes inside of brackets, and what quotes may be put around.
_PLAIN = re.compile(rb"[\w./@-]+(?:[ ][\w./@-]+)*\Z")


def fit_type(
    recipe: FitType, tree: Tree, target: Target, here: Situation | Refusal, facts: Facts, captures: Mapping[str, str]
) -> Outcome:
    key, kind, choices = (captures.get(one.strip("{}"), "") for one in (recipe.key, recipe.kind, recipe.choices))
    if not _KEY.match(key):
        return Refusal("the log does not say which key it is")
    lines = " ".join(facts.commands if isinstance(here, Refusal) else (*facts.commands, *here.lines))
    named = list(named_files(tree, lines, _ENDS))
    found = [(path, place) for path in named if (place := _place(tree, path, key))]
    if len(found) != 1:
        held = "several configurations" if found else "no configuration"
        return Refusal(f"{held} that the commands name hold{'' if found else 's'} `{key}`")
    path, place = found[0]
    words = re.findall(r"'([\w.+-]{1,60})'", choices)
    made = (
        in_toml(tree.read(path), path, place, kind, words)
        if path.endswith(".toml")
        else _in_yaml(tree, path, place, kind, words)
    )
    if not isinstance(made, tuple):
        return made
    edits, line = made
    declared = f"{path}:{'.'.join(place)}"
    whole = Edited(edits, (declared,), (Expectation("line", as_promised(line), target.job, path),))
    return replace(
        whole, title=f"Write `{'.'.join(place)}` in {path} as the program wants it", blast_radius=readers(tree, path)
    )


def _place(tree: Tree, path: str, key: str) -> tuple[str, ...]:
    """The parts of the key that the file has; nothing where it lacks one."""
    if path.endswith(".toml"):
        read = toml.load(tree.read(path))
        return () if isinstance(read, Refusal) else tuple(_walked_toml(read, key.split(".")))
    document = parse_yaml(path, tree.read(path))
    return () if isinstance(document, Refusal) else tuple(_walked(document.root, key.split(".")))


def _walked(node: yaml.Node | None, parts: list[str]) -> list[str]:
    place: list[str] = []
    for part in parts:
        below = child(node, part)
        if below is None:
            return []
        node, place = below, [*place, part]
    return place


def _walked_toml(value: object, parts: list[str]) -> list[str]:
    for part in parts:
        if not isinstance(value, dict) or part not in value:
            return []
        value = value[part]
    return parts


def _in_yaml(tree: Tree, path: str, place: tuple[str, ...], kind: str, words: list[str]) -> MadeAs:
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return document
    node = child(document.root, *place)
    if node is None or id(node) in document.aliased:
        return Refusal("the value is shared through an anchor", path)
    if kind == "list":
        return _as_list(document, node)
    if kind == "string":
        return _as_text(document, node)
    return _as_word(document, place, node, words)


def _as_list(document: YamlDocument, node: yaml.Node) -> MadeAs:
    """The mapping becomes the list's one item, with what it holds two columns further in."""
    data, start, end = document.data, document.start(node), document.end(node)
    why = "the program takes a list"
    if isinstance(node, yaml.SequenceNode):
        return InPlace(f"it is a list ({document.path}:{document.line(node)})")
    if isinstance(node, yaml.ScalarNode):
        text = data[start:end]
        if not text or node.style in ("|", ">") or not (_PLAIN.match(text) or QUOTED.match(text)) or text in (b"null",):
            return Words(f"{document.path}:{document.line(node)} must hold a list")
        return _written(document, start, end, b"[" + text + b"]", why)
    plain = isinstance(node, yaml.MappingNode) and not node.flow_style and data[start : start + 1] not in (b"&", b"!")
    if not isinstance(node, yaml.MappingNode) or not plain or not node.value:
        return Words(f"{document.path}:{document.line(node)} must hold a list")
    first, last = line_of(data, start), line_of(data, max(start, document.end(node.value[-1][1]) - 1))
    edits = [Edit(document.path, start, start, b"- ", why)]
    for number in range(first + 1, last + 1):
        at = offset_of(data, number)
        if data[at : line_end(data, at)].strip():
            edits.append(Edit(document.path, at, at, b"  ", why))
    line = b"- " + data[start : line_end(data, start)]
    return tuple(edits), line.decode("utf-8", "replace")


def _as_text(document: YamlDocument, node: yaml.Node) -> MadeAs:
    data, start, end = document.data, document.start(node), document.end(node)
    if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"'):
        return InPlace(f"it is a text ({document.path}:{document.line(node)})")
    if not isinstance(node, yaml.ScalarNode) or not NUMBER.match(data[start:end]):
        return Words(f"{document.path}:{document.line(node)} must hold a text")
    return _written(document, start, end, b'"' + data[start:end] + b'"', "the program takes a text")


def _written(document: YamlDocument, start: int, end: int, new: bytes, why: str) -> MadeAs:
    data = document.data
    line = data[line_start(data, start) : start] + new + data[end : line_end(data, end)]
    return (Edit(document.path, start, end, new, why),), line.decode("utf-8", "replace")


def _as_word(document: YamlDocument, place: tuple[str, ...], node: yaml.Node, words: list[str]) -> MadeAs:
    """A mapping of one entry, whose value is one of the words that are wanted in its place."""
    held = entries(node)
    if isinstance(node, yaml.ScalarNode) and node.value in words:
        return InPlace(f"it is {node.value} ({document.path}:{document.line(node)})")
    above = child(document.root, *place[:-1]) if len(place) > 1 else document.root
    own = next((one for name, one, _ in entries(above) if name == place[-1]), None)
    if own is None or len(held) != 1 or not isinstance(held[0][2], yaml.ScalarNode) or held[0][2].value not in words:
        return Words(f"{document.path}:{document.line(node)} must be one of {', '.join(words)}")
    data, value = document.data, held[0][2]
    start, end = data.find(b":", document.end(own)) + 1, document.end(node if _in_braces(node) else value)
    if b"#" in data[start:end] or start <= 0:
        return Words(f"{document.path}:{document.line(node)} must be `{value.value}` alone")
    new = b" " + data[document.start(value) : document.end(value)]
    return _written(document, start, end, new, "the program takes the word alone")


def _in_braces(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode) and bool(node.flow_style)
