"""What other configurations have in the place of a value that is wrong: in the mapping that is most like its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import yaml

from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import CONFIGURATIONS
from triage.fixes.yaml.nodes import entries, every_node, parse_yaml, text_of
from triage.interfaces import Tree

# So many other entries must be the same, and so many mappings must agree.
_ALIKE, _LEAST = 3, 2


def in_the_like(tree: Tree, value: str, own: Collection[str]) -> str:
    """The text that stands for `value` under the same key in the mappings of the tree that have most entries in common
    with the one that holds it; "" where these differ, and where several mappings of the `own` files lead to others."""
    texts = {path: tree.read(path) for path in tree.paths() if path.endswith(CONFIGURATIONS)}
    mappings = [one for path in own if path in texts for one in _mappings(path, texts[path])]
    held = [(key, one) for one in mappings for key, text in one.items() if text == value]
    keys = {key.encode() for key, _ in held}
    near = [path for path, data in texts.items() if any(key in data for key in keys)]
    others = [one for path in near for one in _mappings(path, texts[path])]
    found = {_most_like(key, one, others, value) for key, one in held}
    return found.pop() if len(found) == 1 else ""


def _most_like(key: str, own: Mapping[str, str], others: Collection[Mapping[str, str]], value: str) -> str:
    ranked = [
        (sum(other.get(name) == text for name, text in own.items() if name != key), other[key])
        for other in others
        if other.get(key, value) != value
    ]
    best = max((count for count, _ in ranked), default=0)
    most, nearly = ([text for count, text in ranked if count >= least] for least in (best, best - 1))
    texts = most if len(most) >= _LEAST else nearly  # one mapping alone may be as wrong
    return texts[0] if best >= _ALIKE and len(texts) >= _LEAST and len(set(texts)) == 1 else ""


def _mappings(path: str, data: bytes) -> Iterator[Mapping[str, str]]:
    """The scalars of each mapping of a file."""
    document = parse_yaml(path, data)
    for node in () if isinstance(document, Refusal) else every_node(document.root):
        if isinstance(node, yaml.MappingNode):
            yield {name: text_of(one) for name, _, one in entries(node) if isinstance(one, yaml.ScalarNode)}
