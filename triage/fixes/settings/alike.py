"""Where the configurations beside one hold a key that it lacks: they go to the same program, so it knows the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import yaml

from triage.fixes.counting import foremost
from triage.fixes.numbers import whole
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml, text_of
from triage.interfaces import Tree

_ENDS = (".yaml", ".yml")
# So many others must hold the key, and be built of so large a share of the same sections.
_LEAST, _SHARE = 2, 0.6
_MOST = 400
# What decides which keys a section takes.
_KINDS = ("_target_", "_component_", "strategy", "type")


def held_alike(tree: Tree, path: str, name: str) -> str:
    """The dotted path under which most configurations like this one hold the key `name`; "" where few do."""
    return next(iter(places_alike(tree, path, name)), "")


def places_alike(tree: Tree, path: str, name: str) -> dict[str, int]:
    """The dotted paths under which configurations like this one hold the key `name`, with how many do, most first."""
    document = parse_yaml(path, tree.read(path))
    root = None if isinstance(document, Refusal) else document.root
    others = [root for _, root in _alike(tree, path, name)]
    found = Counter(
        place
        for other in others
        for place in places_of(other, name)
        if _of_a_kind(root, other, place.rpartition(".")[0])
    )
    return {place: count for place, count in found.most_common() if count >= _LEAST}


def quoted_alike(tree: Tree, path: str, key: str) -> bool:
    """Whether a configuration like this one writes the value of a dotted key in quotes: a number there is a text."""
    others = (child(other, *key.split(".")) for _, other in _alike(tree, path, key.rpartition(".")[2]))
    return any(isinstance(one, yaml.ScalarNode) and one.style in ("'", '"') for one in others)


def _alike(tree: Tree, path: str, name: str) -> Iterator[tuple[str, yaml.Node]]:
    """The files of the same first folder that hold the name and mostly the same sections, each with its root."""
    own = _sections(tree, path)
    for other, root in others_holding(tree, path, name, most=_MOST) if own and "/" in path else ():
        sections = {key for key, _, _ in entries(root)}
        if len(own & sections) >= _SHARE * len(own | sections):
            yield other, root


def roots_alike(tree: Tree, path: str) -> Iterator[yaml.Node]:
    """Roots of the configurations like this one, whatever they hold."""
    return (root for _, root in _alike(tree, path, ""))


def others_holding(tree: Tree, path: str, text: str, *, most: int | None = None) -> Iterator[tuple[str, yaml.Node]]:
    """The other configurations of the same first folder in which the text stands, be they like this one or not, each
    with its root."""
    holding = [one for one in _others(tree, path) if text.encode() in tree.read(one)]
    for one in holding[:most]:
        document = parse_yaml(one, tree.read(one))
        if isinstance(document, YamlDocument) and document.root is not None:
            yield one, document.root


def _others(tree: Tree, path: str) -> list[str]:
    """The other configurations of the same first folder."""
    top = path.partition("/")[0]
    return [one for one in tree.paths() if one.endswith(_ENDS) and one != path and one.partition("/")[0] == top]


def _of_a_kind(own: yaml.Node | None, other: yaml.Node, place: str) -> bool:
    """Whether the section is made into the same thing in both, or this file has none yet."""
    mine, theirs = (child(root, *place.split(".")) if place else root for root in (own, other))
    return mine is None or all(text_of(child(mine, kind)) == text_of(child(theirs, kind)) for kind in _KINDS)


def _sections(tree: Tree, path: str) -> set[str]:
    document = parse_yaml(path, tree.read(path))
    return set() if isinstance(document, Refusal) else {key for key, _, _ in entries(document.root)}


def places_of(node: yaml.Node | None, name: str, place: str = "", depth: int = 4) -> Iterator[str]:
    """Dotted paths under which a configuration holds a key of this name."""
    for key, _, value in entries(node):
        below = f"{place}.{key}" if place else key
        if key == name:
            yield below
        elif depth and isinstance(value, yaml.MappingNode):
            yield from places_of(value, name, below, depth - 1)


def takes(tree: Tree, path: str, key: str) -> bool:
    """Whether configurations like this one hold the whole dotted key, and this one does not."""
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal) or child(document.root, *key.split(".")) is not None:
        return False
    return held_alike(tree, path, key.rpartition(".")[2]) == key


def usual_alike(tree: Tree, path: str, key: str) -> str:
    """The number that most configurations like this one have for a dotted key; "" where two are as frequent."""
    found = foremost(text for text in _values(tree, path, key) if whole(text) is not None)
    return found[0] if found is not None else ""


def values_alike(tree: Tree, path: str, key: str) -> list[str]:
    """What the configurations like this one have for a dotted key, as they write it without quotes; that of the one
    alone after which this one is named (`sft.yaml` of `sft-small.yaml`), where there is one. Of many those of the
    nearest folder that has several: other folders may hold those of another program."""
    stem = path.rpartition("/")[2].partition(".")[0]
    base = [one for one in _others(tree, path) if _begins(stem, one)]
    for one in sorted(base, key=len, reverse=True) if "/" in path else ():
        document = parse_yaml(one, tree.read(one))
        held = "" if isinstance(document, Refusal) else text_of(child(document.root, *key.split(".")))
        if held:
            return [held]
    found = _values_of(tree, path, key)
    folders = path.split("/")[:-1]
    for depth in range(len(folders), 0, -1):
        folder = "/".join(folders[:depth]) + "/"
        near = [text for one, text in found if one.startswith(folder)]
        if len(near) >= _LEAST:
            return near
    return [text for _, text in found]


def _values(tree: Tree, path: str, key: str) -> list[str]:
    return [text for _, text in _values_of(tree, path, key)]


def _values_of(tree: Tree, path: str, key: str) -> list[tuple[str, str]]:
    held = ((one, text_of(child(root, *key.split(".")))) for one, root in _alike(tree, path, key.rpartition(".")[2]))
    return [(one, text) for one, text in held if text]


def _begins(stem: str, other: str) -> bool:
    name = other.rpartition("/")[2].rpartition(".")[0]
    return bool(name) and stem.startswith((f"{name}-", f"{name}_"))
