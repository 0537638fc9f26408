"""Edits of YAML by splicing: entries, scalars, comments. Each gives `Edit`s or a `Refusal` with its reason.

An edit inside a node that an anchor shares is refused: it would change every place that uses the alias.
"""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.numbers import is_plain
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.encode import encoded, quoted
from triage.fixes.yaml.nodes import YamlDocument, child, entries
from triage.fixes.yaml.scalar_edits import Edits as Edits
from triage.fixes.yaml.scalar_edits import replace_scalar as replace_scalar
from triage.fixes.yaml.scalar_edits import splice_scalar as splice_scalar
from triage.model.patch import Edit


def add_env(
    document: YamlDocument, owner: yaml.Node, name: str, value: str, *, why: str, comment: str = ""
) -> Edits | Refusal:
    """`NAME: "value"` in the `env` of a workflow, job or step; the mapping is made when there is none."""
    written = quoted(value)
    if isinstance(written, Refusal):
        return written
    return add_entry(document, owner, "env", name, written, why=why, comment=comment)


def add_entry(
    document: YamlDocument, owner: yaml.Node, key: str, name: str, written: str, *, why: str, comment: str = ""
) -> Edits | Refusal:
    """`name: written` as the last entry of the mapping `key` of `owner`. `written` is YAML."""
    return add_entries(document, owner, key, ((name, written),), why=why, comment=comment)


def add_entries(
    document: YamlDocument,
    owner: yaml.Node,
    key: str,
    pairs: Sequence[tuple[str, str]],
    *,
    why: str,
    comment: str = "",
) -> Edits | Refusal:
    """Entries `name: written` behind the last one of the mapping `key` of `owner`, which is made when there is none."""
    mapping = child(owner, key)
    lines = [f"{name}: {written}" for name, written in pairs]
    if mapping is None:
        return _new_mapping(document, owner, key, lines, why=why, comment=comment)
    if not isinstance(mapping, yaml.MappingNode):
        return Refusal(f"`{key}` is no mapping", document.path, document.line(mapping))
    there = {entry for entry, _, _ in entries(mapping)} & {name for name, _ in pairs}
    if there:
        return Refusal(f"`{key}` already has `{min(there)}`", document.path, document.line(mapping))
    if id(mapping) in document.aliased or any(one.value == "<<" for one, _ in mapping.value):
        return Refusal(f"`{key}` is shared through an anchor", document.path, document.line(mapping))
    if mapping.flow_style:
        return _into_flow(document, mapping, ", ".join(lines), why=why, comment=comment)
    first: yaml.Node = mapping.value[0][0]
    above = [f"# {comment}"] if comment else []
    return insert_after(document, mapping, [*above, *lines], first.start_mark.column, why=why)


def add_mapping(
    document: YamlDocument, owner: yaml.Node, key: str, lines: Sequence[str], *, why: str
) -> Edits | Refusal:
    """`key` with the lines below it, for an owner that has none yet. The lines are YAML, indented among themselves."""
    if child(owner, key) is not None:
        return Refusal(f"`{key}` stands there already", document.path, document.line(owner))
    return _new_mapping(document, owner, key, lines, why=why, comment="")


def insert_after(document: YamlDocument, node: yaml.Node, lines: list[str], column: int, *, why: str) -> Edits:
    """Lines at a column, behind the last line of the node's content (and its comment on that line)."""
    data = document.data
    at = line_end(data, document.end(node))
    eol = eol_at(data, at)
    text = b"".join(eol + (" " * column + line).encode() for line in lines)
    return (Edit(document.path, at, at, text, why),)


def insert_before(document: YamlDocument, node: yaml.Node, lines: list[str], column: int, *, why: str) -> Edits:
    """Lines at a column, before the line on which the node starts."""
    at = line_start(document.data, document.start(node))
    eol = eol_at(document.data, at)
    text = b"".join((" " * column + line).encode() + eol for line in lines)
    return (Edit(document.path, at, at, text, why),)


def _new_mapping(
    document: YamlDocument, owner: yaml.Node, key: str, added: Sequence[str], *, why: str, comment: str
) -> Edits | Refusal:
    """Before `steps` in a job, before `jobs` in a workflow, before `run` or `uses` in a step: behind the entry that
    precedes it, so that comments stay with what they are about."""
    if not isinstance(owner, yaml.MappingNode) or owner.flow_style or not owner.value:
        return Refusal(f"there is no block mapping to add `{key}` to", document.path, document.line(owner))
    if id(owner) in document.aliased:
        return Refusal("it is shared through an anchor", document.path, document.line(owner))
    keys = [str(name.value) for name, _ in owner.value]
    anchor = next((keys.index(one) for one in ("steps", "jobs", "run", "uses") if one in keys), len(keys))
    column = owner.value[0][0].start_mark.column
    inner = [f"# {comment}", *added] if comment else added
    lines = [f"{key}:", *(f"  {line}" for line in inner)]
    if anchor:
        before = owner.value[anchor - 1]
        empty = isinstance(before[1], yaml.ScalarNode) and before[1].value == "" and not before[1].style
        return insert_after(document, before[0] if empty else before[1], lines, column, why=why)
    if owner.value[0][0].start_mark.column != _indent(document, owner.value[0][0]):
        return insert_after(document, owner.value[0][1], lines, column, why=why)
    return insert_before(document, owner.value[0][0], lines, column, why=why)


def _indent(document: YamlDocument, node: yaml.Node) -> int:
    line = document.text[node.start_mark.index - node.start_mark.column : node.start_mark.index]
    return len(line) if not line.strip() else len(line) - len(line.lstrip())


def _into_flow(document: YamlDocument, mapping: yaml.MappingNode, entry: str, *, why: str, comment: str) -> Edits:
    """`{A: 1}` -> `{A: 1, B: 2}`. A comment has no place there, so it goes into the reason."""
    reason = f"{why} ({comment})" if comment else why
    last = mapping.value[-1][1] if mapping.value else None
    at = document.end(last) if last is not None else document.start(mapping) + 1
    return (Edit(document.path, at, at, f"{', ' if last is not None else ''}{entry}".encode(), reason),)


def remove_entry(document: YamlDocument, mapping: yaml.Node | None, name: str, *, why: str) -> Edits | Refusal:
    """An entry of a block mapping with its line's comment. The only entry is not removed: the key would be empty."""
    if not isinstance(mapping, yaml.MappingNode):
        return Refusal(f"there is no mapping that holds `{name}`", document.path)
    found = [(key, value) for key, value in mapping.value if key.value == name]
    line = document.line(mapping)
    if len(found) != 1 or mapping.flow_style or id(mapping) in document.aliased or len(mapping.value) == 1:
        return Refusal(f"`{name}` cannot be removed by lines alone", document.path, line)
    key, value = found[0]
    start, end = line_start(document.data, document.start(key)), line_end(document.data, document.end(value))
    if document.data[start : document.start(key)].strip():
        return Refusal(f"`{name}` shares its line with something else", document.path, line)
    after = document.data.find(b"\n", end)
    return (Edit(document.path, start, len(document.data) if after < 0 else after + 1, b"", why),)


def remove_below(
    document: YamlDocument, holder: yaml.Node, mapping: yaml.MappingNode, key: str, name: str, *, why: str
) -> tuple[Edits, str] | Refusal:
    """The entry of `mapping`, which `holder` has below `key`; with its only one the key goes too. Also its path."""
    alone = len(mapping.value) == 1
    edits = remove_entry(document, holder if alone else mapping, key if alone else name, why=why)
    return edits if isinstance(edits, Refusal) else (edits, key if alone else f"{key}.{name}")


def comment_above(document: YamlDocument, node: yaml.Node, comment: str, *, why: str) -> Edits | Refusal:
    """A comment line before the line of a node, at that line's indentation."""
    if "\n" in comment:
        return Refusal("a comment has one line", document.path, document.line(node))
    return insert_before(document, node, [f"# {comment}"], _line_indent(document, node), why=why)


def _line_indent(document: YamlDocument, node: yaml.Node) -> int:
    line = document.text[node.start_mark.index - node.start_mark.column :]
    return len(line) - len(line.lstrip(" "))


def set_key(document: YamlDocument, mapping: yaml.Node | None, key: str, value: str, *, why: str) -> Edits | Refusal:
    """A scalar entry of a block mapping: replaced where it is, else added behind the last entry before `steps`."""
    if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style or not mapping.value:
        return Refusal(f"there is no block mapping to set `{key}` in", document.path)
    node = child(mapping, key)
    if isinstance(node, yaml.ScalarNode):
        return replace_scalar(document, node, value, why=why)
    if node is not None or id(mapping) in document.aliased:
        return Refusal(f"`{key}` is no single value here", document.path, document.line(node or mapping))
    plain = value if is_plain(value) else encoded(value, "", inside=False)
    written = quoted(value) if isinstance(plain, Refusal) else plain
    if isinstance(written, Refusal):
        return written
    keys = [str(name.value) for name, _ in mapping.value]
    at = keys.index("steps") - 1 if "steps" in keys[1:] else len(keys) - 1
    before = mapping.value[at][1]
    return insert_after(document, before, [f"{key}: {written}"], mapping.value[0][0].start_mark.column, why=why)
