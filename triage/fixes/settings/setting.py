"""Sets one key in a YAML file that a program is given: where it stands, else at the end of its mapping."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import eol_at, line_end
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import insert_after, replace_scalar
from triage.fixes.yaml.encode import encoded
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

# Keys of mappings NAME: value that a harness puts into its program's environment.
_VARIABLES = ("env", "envs", "env_vars", "ENV_VARS", "env_common", "environment")
_BARE = re.compile(r"[\w.+:/@%,=-]+")
_LITERAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[Tt]rue|[Ff]alse|null")


def is_literal(text: str) -> bool:
    """A number, a truth value or null, which must not become a text."""
    return _LITERAL.fullmatch(text) is not None


def set_in_file(tree: Tree, path: str, key: str, value: str, *, job: str, why: str) -> Outcome:
    """`key` is a dotted path, or a flag (`--size`) that the file holds as a key or as an item before its value."""
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return document
    if not isinstance(document.root, yaml.MappingNode):
        return Refusal("it is no YAML mapping", path)
    if key.startswith("-"):
        return _set_flag(document, key, value, job=job, why=why)
    node, place, left = _deepest(document.root, key.split("."))
    if not left:
        return _replace(document, node, place, value, job=job, why=why)
    return _add(document, node, place, left, value, job=job, why=why)


def _deepest(root: yaml.Node, parts: list[str]) -> tuple[yaml.Node, str, list[str]]:
    """The last node on the way to the key, its path, and the parts that are not there."""
    node, taken = root, 0
    for part in parts:
        below = _below(node, part)
        if below is None:
            break
        node, taken = below, taken + 1
    return node, ".".join(parts[:taken]), parts[taken:]


def _below(node: yaml.Node, part: str) -> yaml.Node | None:
    """What a key holds; of `key[0]`, that item of its list."""
    name, bracket, number = part.partition("[")
    held = child(node, name if bracket else part)
    if not bracket:
        return held
    at = whole(number.rstrip("]"))
    items = held.value if isinstance(held, yaml.SequenceNode) else []
    return items[at] if at is not None and 0 <= at < len(items) else None


def _replace(document: YamlDocument, node: yaml.Node, place: str, value: str, *, job: str, why: str) -> Outcome:
    if not isinstance(node, yaml.ScalarNode):
        return Refusal(f"`{place}` is no single value", document.path, document.line(node))
    if node.value == value:
        return InPlace(f"{place} is already `{value}` ({document.path}:{document.line(node)})")
    shared = id(node) in document.aliased
    plain = not node.style and is_literal(value) and node.value
    literal = (Edit(document.path, document.start(node), document.end(node), value.encode(), why),)
    inside = (Edit(document.path, document.start(node) + 1, document.end(node) - 1, value.encode(), why),)
    quoted = shared and node.style in ("'", '"') and _BARE.fullmatch(value)
    edits = literal if plain else inside if quoted else replace_scalar(document, node, value, why=why)
    if isinstance(edits, Refusal):
        return edits
    return _edited(document, edits, "" if shared else place, place, value, job)


def _add(
    document: YamlDocument, node: yaml.Node, place: str, left: list[str], value: str, *, job: str, why: str
) -> Outcome:
    """`a: {b: value}` below the deepest mapping that there is, in blocks."""
    if not isinstance(node, yaml.MappingNode) or node.flow_style or not node.value:
        return Refusal(f"`{place}` is no mapping that takes another key", document.path, document.line(node))
    written = _as_neighbours(node, value) if is_literal(value) else encoded(value, "", inside=False)
    if isinstance(written, Refusal):
        return written
    column = node.value[0][0].start_mark.column
    lines = [f"{'  ' * depth}{part}:" for depth, part in enumerate(left)]
    lines[-1] += f" {written}"
    last = node.value[-1][1]
    if isinstance(last, yaml.ScalarNode) and last.style in ("|", ">"):
        at = line_end(document.data, document.end(last))
        eol = eol_at(document.data, at)
        text = b"".join(eol + (" " * column + line).encode() for line in lines)
        edits: tuple[Edit, ...] = (Edit(document.path, at, at, text, why),)
    else:
        anchor = node.value[-1][0] if isinstance(last, yaml.ScalarNode) and not last.value and not last.style else last
        edits = insert_after(document, anchor, lines, column, why=why)
    start = f"{place}.{left[0]}" if place else left[0]
    whole = ".".join([place, *left] if place else left)
    return _edited(document, edits, "" if id(node) in document.aliased else start, whole, value, job)


def _as_neighbours(node: yaml.MappingNode, value: str) -> str:
    """A number in quotes where the other numbers of the mapping are: who reads them as texts wants texts."""
    literal = [one.style for _, one in node.value if isinstance(one, yaml.ScalarNode) and is_literal(one.value)]
    quote = literal[-1] if literal and all(style in ("'", '"') for style in literal) else ""
    return f"{quote}{value}{quote}"


def _set_flag(document: YamlDocument, flag: str, value: str, *, job: str, why: str) -> Outcome:
    found = flag_values(document.root, flag)
    if len({id(node) for node, _ in found}) != 1:
        return Refusal(f"it holds {flag} {len(found)} times", document.path)
    node, place = found[0]
    return _replace(document, node, place, value, job=job, why=why)


def flag_values(node: yaml.Node | None, flag: str, place: str = "") -> list[tuple[yaml.Node, str]]:
    """Value nodes of a flag with their paths: `--size: 4` in a mapping, `- --size` before `- "4"` in a list."""
    found: list[tuple[yaml.Node, str]] = []
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            found += flag_values(item, flag, f"{place}[{at}]")
            after = node.value[at + 1 : at + 2]
            if isinstance(item, yaml.ScalarNode) and item.value == flag and after:
                found.append((after[0], f"{place}[{at + 1}]"))
    for name, _, value in entries(node):
        below = f"{place}.{name}" if place else name
        found += [(value, below)] if name == flag else flag_values(value, flag, below)
    return found


def _edited(document: YamlDocument, edits: tuple[Edit, ...], declared: str, place: str, value: str, job: str) -> Edited:
    """`declared` is "" for what an anchor shares: every place of the file that uses it changes."""
    promise = Expectation("value", f"{place}={value}", job, document.path)
    notes = () if declared else ("the value is shared through an anchor: every part of the file that uses it gets it",)
    return Edited(edits, (f"{document.path}:{declared}".rstrip(":"),), (promise,), notes=notes)


def is_environment(place: str) -> bool:
    """Whether a mapping of this path holds variables for a program."""
    return place.rpartition(".")[2].lstrip("_") in _VARIABLES


def environments(tree: Tree, path: str) -> tuple[str, ...]:
    """Paths of the mappings of a file that hold variables for its program: `envs`, `ENV_VARS`, `env_common`.

    Those of the items of a list count only where there is no other: items take what they share from outside the list.
    """
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return ()
    found: dict[int, str] = {}
    for node, place in _environments(document.root, ""):
        found.setdefault(id(node), place)
    shared = tuple(place for place in found.values() if "[" not in place)
    return shared or tuple(found.values())


def _environments(node: yaml.Node | None, place: str) -> Iterator[tuple[yaml.Node, str]]:
    for name, _, value in entries(node):
        below = f"{place}.{name}" if place else name
        if name.lstrip("_") in _VARIABLES and isinstance(value, yaml.MappingNode) and value.value:
            yield value, below
        elif "." not in name:
            yield from _environments(value, below)
            for at, item in enumerate(value.value if isinstance(value, yaml.SequenceNode) else ()):
                yield from _environments(item, f"{below}[{at}]")


def value_in_file(tree: Tree, path: str, place: str) -> str:
    """The single value of a dotted path in the file itself; "" when it has none."""
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal) or document.root is None:
        return ""
    node, _, left = _deepest(document.root, place.split("."))
    return node.value if not left and isinstance(node, yaml.ScalarNode) else ""


def line_of_key(tree: Tree, path: str, key: str) -> int:
    """The line of a key in the file itself; 0 when it inherits it."""
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal) or document.root is None:
        return 0
    if key.startswith("-"):
        found = flag_values(document.root, key)
        return document.line(found[0][0]) if len({id(node) for node, _ in found}) == 1 else 0
    node, _, left = _deepest(document.root, key.split("."))
    return 0 if left else document.line(node)
