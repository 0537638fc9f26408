"""A key that the code takes out of a mapping by its bare name, and that the one configuration of the command lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.adding import add_key
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import CONFIGURATIONS, in_tree
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_YAML = {"True": "true", "False": "false", "None": "null"}
# What stands for a value that only a run decides.
_OPEN = re.compile(r"\$\{|\?\?\?|[&*!\n]")
_LEAST = 2


def copy_read_key(here: Situation, owner: str, key: str) -> Outcome:
    """`owner` is the variable that the failed line reads: the mapping of its name, else the one that holds what else
    the code reads from it. The value is the one that other configurations agree on, or that is the code's default."""
    if not _NAME.match(owner) or not _NAME.match(key):
        return Refusal("the log names no key")
    paths = {path for one in here.concerned for word in one.argv if (path := _configuration(here, word.text or ""))}
    if len(paths) != 1:
        return Refusal("no command of the log names one configuration of the repository")
    (path,) = paths
    document = parse_yaml(path, here.tree.read(path))
    if isinstance(document, Refusal):
        return document
    texts = [
        here.tree.read(one).decode("utf-8", "replace")
        for name in here.facts.frames
        if (one := in_tree(here.tree, name))
    ]
    place = _mapping(document, owner, {name for text in texts for name in _reads(text, owner)} - {key})
    if not place:
        return Refusal(f"{path} has no one mapping that `{owner}` is", path)
    if child(document.root, *place, key) is not None:
        return InPlace(f"{path} has {'.'.join(place)}.{key}")
    return _added(here, path, place, key, texts)


def _configuration(here: Situation, word: str) -> str:
    return in_tree(here.tree, word.rpartition("=")[2]) if word.endswith(CONFIGURATIONS) else ""


def _reads(text: str, owner: str) -> Iterator[str]:
    for found in re.finditer(rf"\b{owner}(?:\[|\.get\()[\"'](\w+)[\"']", text):
        yield found[1]


def _mapping(document: YamlDocument, owner: str, read: set[str]) -> tuple[str, ...]:
    """The mapping whose name is a word of the variable's; else the one that alone holds most of what is read."""
    held = dict(_mappings(document.root, ()))
    words = {owner, *owner.split("_")}
    named = [place for place in held if place and place[-1] in words and (held[place] & read or not read)]
    counts = sorted(((len(names & read), place) for place, names in held.items() if place), reverse=True)
    best = (
        counts[0][1] if counts and counts[0][0] >= _LEAST and (len(counts) < 2 or counts[1][0] < counts[0][0]) else ()
    )
    return named[0] if len(named) == 1 else best


def _mappings(node: yaml.Node | None, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    if isinstance(node, yaml.MappingNode):
        yield place, {name for name, _, _ in entries(node)}
        for name, _, value in entries(node):
            yield from _mappings(value, (*place, name))


def _added(here: Situation, path: str, place: tuple[str, ...], key: str, texts: list[str]) -> Outcome:
    held = dict(_beside(here, path, place, key))
    values = sorted(set(held.values()))
    default = {one for text in texts for one in _defaults(text, key)}
    chosen = values if len(values) == 1 else [one for one in values if one in default]
    dotted = ".".join((*place, key))
    if len(chosen) != 1 or len(default) > 1:
        return Words(f"add `{dotted}` to {path}; others have {', '.join(values) or 'no such key'}")
    places = [name for name, value in held.items() if value == chosen[0]]
    made = add_key(here, path, dotted, chosen[0], f"the code reads it, and {places[0]} has it", ())
    if not isinstance(made, Edited):
        return made
    because = "The code reads the key, and the configurations beside this one have it."
    said = f"its value is that of {', '.join(places[:3])}" + (", and the code's default" if len(values) > 1 else "")
    return replace(made, title=f"Add `{dotted}` to {path}", because=because).noting(said)


def _beside(here: Situation, path: str, place: tuple[str, ...], key: str) -> Iterator[tuple[str, str]]:
    """Configurations below the same folders that have the key in the same mapping."""
    root = "/".join(path.split("/")[: max(1, min(_LEAST, path.count("/") - 1))])
    for other in here.tree.paths():
        if other != path and other.startswith(f"{root}/") and other.endswith(CONFIGURATIONS):
            data = here.tree.read(other)
            document = parse_yaml(other, data) if key.encode() in data else Refusal("no such key")
            node = None if isinstance(document, Refusal) else child(document.root, *place, key)
            if isinstance(document, YamlDocument) and isinstance(node, yaml.ScalarNode):
                text = document.data[document.start(node) : document.end(node)].decode("utf-8", "replace")
                if text and not _OPEN.search(text):
                    yield other, text


def _defaults(text: str, key: str) -> Iterator[str]:
    """What the code itself takes for it: the default of an argument of its name, or of `get`."""
    written = (
        rf"\b{key}(?:[ \t]*:[ \t]*[\w\[\]|. ]+?)?[ \t]*=[ \t]*(?P<a>True|False|None|-?[0-9.]+|\"[^\"\n]*\"|'[^'\n]*')"
    )
    taken = rf"\.get\([\"']{key}[\"'],[ \t]*(?P<b>True|False|None|-?[0-9.]+|\"[^\"\n]*\"|'[^'\n]*')"
    for found in re.finditer(f"{written}|{taken}", text):
        default = found["a"] or found["b"]
        yield _YAML.get(default, default.strip("\"'"))
