"""A YAML file as nodes with marks, and byte offsets for them. Composing also shows duplicate keys, `<<` and aliases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import yaml

from triage.fixes.document import BOM, line_of
from triage.fixes.refusal import Refusal

# libyaml composes recursively in C: deep nesting would end the process, so it is counted first, on the event stream.
DEPTH_CAP = 100
# Aliases are shared nodes: a small file can stand for billions of values.
SIZE_CAP = 2_000_000
# No file that people write is larger: what is generated is not edited here, and would be parsed again at each check.
BYTES_CAP = 1 << 20
NODES_CAP = 50_000

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, eq=False)
class YamlDocument:
    """`text` is decoded and has no BOM; marks count its characters, `byte` turns them into offsets of `data`.

    `aliased` holds the ids of nodes that an anchor shares: an edit inside one changes every place that uses it.
    """

    path: str
    data: bytes
    text: str
    root: yaml.Node | None
    offsets: Sequence[int]
    aliased: frozenset[int]

    def byte(self, index: int) -> int:
        return self.offsets[index]

    def line(self, node: yaml.Node) -> int:
        return int(node.start_mark.line) + 1

    def start(self, node: yaml.Node) -> int:
        return self.byte(node.start_mark.index)

    def end(self, node: yaml.Node) -> int:
        """The end of the node's own text; for block collections that is the end of their content."""
        return self.byte(content_end(self.text, node))


def parse_yaml(path: str, data: bytes) -> YamlDocument | Refusal:
    """Any bytes are accepted; what is no single YAML document is refused with its line."""
    bom = len(BOM) if data.startswith(BOM) else 0
    if len(data) > BYTES_CAP:
        return Refusal(f"larger than {BYTES_CAP >> 20} MiB: not read", path)
    try:
        text = data[bom:].decode()
        anchors = _anchors(text)
        root = yaml.compose(text, Loader=LOADER)
    except UnicodeDecodeError as error:
        return Refusal("not UTF-8", path, line_of(data, bom + error.start))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return Refusal(f"not valid YAML: {error.problem}", path, mark.line + 1 if mark else 0)
    except (yaml.YAMLError, ValueError) as error:
        return Refusal(f"not valid YAML: {str(error).splitlines()[0]}", path)
    offsets: Sequence[int] = range(bom, bom + len(text) + 1)
    if not text.isascii():
        offsets = list(accumulate((len(char.encode()) for char in text), initial=bom))
    aliased = _aliased(root) if anchors and root is not None else frozenset()
    if aliased is None:
        return Refusal("its aliases form a cycle or stand for too many values", path)
    return YamlDocument(path, data, text, root, offsets, aliased)


def _anchors(text: str) -> bool:
    """Whether any node is shared. ValueError when the nesting is too deep to compose, or the nodes are too many."""
    depth, anchors = 0, False
    for number, event in enumerate(yaml.parse(text, Loader=LOADER)):
        if number > NODES_CAP:
            raise ValueError(f"more than {NODES_CAP} nodes")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_CAP:
                raise ValueError(f"nested more than {DEPTH_CAP} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        anchors = anchors or isinstance(event, yaml.AliasEvent)
    return anchors


def children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def every_node(node: yaml.Node | None) -> Iterator[yaml.Node]:
    """The node and all below it, in the order of the text."""
    if node is not None:
        yield node
        for one in children(node):
            yield from every_node(one)


def _aliased(root: yaml.Node) -> frozenset[int] | None:
    """Ids of shared nodes and of all below them; None for a cycle or a blow-up."""
    sizes: dict[int, int] = {}
    open_: set[int] = set()
    shared: set[int] = set()

    def size(node: yaml.Node) -> int:
        if id(node) in open_:
            return SIZE_CAP
        if id(node) in sizes:
            shared.add(id(node))
            return sizes[id(node)]
        open_.add(id(node))
        total = 1 + sum(size(child) for child in children(node))
        open_.discard(id(node))
        sizes[id(node)] = total
        return total

    if size(root) >= SIZE_CAP:
        return None
    below: set[int] = set()
    _collect(root, shared, below, inside=False)
    return frozenset(below)


def _collect(node: yaml.Node, shared: set[int], below: set[int], *, inside: bool) -> None:
    inside = inside or id(node) in shared
    if inside:
        if id(node) in below:
            return
        below.add(id(node))
    for child in children(node):
        _collect(child, shared, below, inside=inside)


def content_end(text: str, node: yaml.Node) -> int:
    """The character after the node's last content: end marks of block collections run on to the next token."""
    if isinstance(node, yaml.MappingNode | yaml.SequenceNode) and not node.flow_style:
        last = list(children(node))[-1:]
        return content_end(text, last[0]) if last else int(node.start_mark.index)
    end = int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return int(node.start_mark.index) + len(text[node.start_mark.index : end].rstrip())
    return end


def entries(node: yaml.Node | None) -> list[tuple[str, yaml.Node, yaml.Node]]:
    """Key text, key node and value node of a mapping, merges (`<<`) resolved behind its own keys; else nothing."""
    if not isinstance(node, yaml.MappingNode):
        return []
    own, merged = [], []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if key.value == "<<" and key.style in (None, ""):
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            merged += [entry for source in sources for entry in entries(source)]
        else:
            own.append((key.value, key, value))
    names = {name for name, _, _ in own}
    return own + [entry for entry in merged if entry[0] not in names]


def child(node: yaml.Node | None, *keys: str | int) -> yaml.Node | None:
    """The node at a path of keys and indices; the last of duplicate keys, as YAML readers take it."""
    for key in keys:
        if isinstance(key, int):
            items = node.value if isinstance(node, yaml.SequenceNode) else []
            node = items[key] if key < len(items) else None
        else:
            found = [value for name, _, value in entries(node) if name == key]
            node = found[-1] if found else None
    return node


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """The elements of a sequence, or the one scalar that stands for it; else nothing."""
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    return [node] if isinstance(node, yaml.ScalarNode) and node.value else []


def scalar_at(document: YamlDocument, offset: int) -> yaml.ScalarNode | None:
    """The scalar that holds a byte of the file, its end included."""
    node = document.root
    while node is not None and not isinstance(node, yaml.ScalarNode):
        inside = [one for one in children(node) if document.start(one) <= offset <= document.byte(one.end_mark.index)]
        node = inside[-1] if inside else None
    return node


def text_of(node: yaml.Node | None) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""
