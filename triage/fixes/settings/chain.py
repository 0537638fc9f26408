"""A configuration file with those that it builds on (`defaults: base.yaml`), merged as its program merges them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import zip_longest

import yaml

from triage.fixes.hydra.config import Configuration
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import parse_yaml
from triage.interfaces import Tree

# What names the file below, in the dialects that keep it in the file itself.
_PARENTS = ("defaults", "_base_", "base_config")
_DEPTH = 10
# Files of one chain, those that several others build on counted each time.
_MOST = 100

Nested = dict[str, object]


def read_chain(tree: Tree, path: str) -> Configuration | Refusal:
    """What the program gets from the file, its parents' keys included; refused where a parent cannot be read."""
    merged = _read(tree, path, _DEPTH, [_MOST])
    return merged if isinstance(merged, Refusal) else Configuration(merged, path)


def _read(tree: Tree, path: str, depth: int, left: list[int]) -> Nested | Refusal:
    """`left` holds how many more files may be read."""
    left[0] -= 1
    if left[0] < 0:
        return Refusal(f"it builds on more than {_MOST} files", path)
    if path not in tree or depth == 0:
        return Refusal("there is no such file" if depth else "its parents include each other", path)
    content = _parsed(tree.read(path))
    if content is None:
        return Refusal("it is no YAML mapping", path)
    merged: Nested = {}
    for parent in _parents(content):
        below = _read(tree, posixpath.normpath(posixpath.join(posixpath.dirname(path), parent)), depth - 1, left)
        if isinstance(below, Refusal):
            return below
        merged = _merge(merged, below)
    return _merge(merged, {name: value for name, value in content.items() if name not in _PARENTS})


def _parents(content: Mapping[str, object]) -> Iterator[str]:
    for name in _PARENTS:
        value = content.get(name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item.endswith((".yaml", ".yml")):
                yield item


def _merge(base: Nested, over: Mapping[str, object]) -> Nested:
    merged = dict(base)
    for name, value in over.items():
        below = merged.get(name)
        merged[name] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


@lru_cache(maxsize=256)
def _parsed(content: bytes) -> Nested | None:
    """Strings as they stand; shared, so never changed. None for what is no mapping, or stands for too many values."""
    if isinstance(parse_yaml("", content), Refusal):
        return None
    try:
        parsed = yaml.load(content, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return parsed if isinstance(parsed, dict) else None


def flag_value(node: object, flag: str) -> str:
    """What a file holds for `--flag`, as a key or as an item before its value; "" when not just once."""
    found = list(_flags(node, flag, set()))
    return found[0] if len(found) == 1 else ""


def _flags(node: object, flag: str, seen: set[int]) -> Iterator[str]:
    """What an anchor shares is read once."""
    if id(node) in seen:
        return
    if isinstance(node, Mapping | list):
        seen.add(id(node))
    if isinstance(node, Mapping):
        for name, value in node.items():
            if name == flag and isinstance(value, str):
                yield value
            else:
                yield from _flags(value, flag, seen)
    elif isinstance(node, list):
        for item, following in zip_longest(node, node[1:]):
            if item == flag and isinstance(following, str):
                yield following
            else:
                yield from _flags(item, flag, seen)
