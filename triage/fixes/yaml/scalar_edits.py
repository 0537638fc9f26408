"""Edits inside scalars, each verified: the edited file is read again, and the scalar must hold what was asked for."""

from __future__ import annotations

import yaml

from triage.fixes.document import splice
from triage.fixes.numbers import is_plain
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.encode import encoded, quoted
from triage.fixes.yaml.nodes import YamlDocument, parse_yaml, scalar_at
from triage.fixes.yaml.scalars import ScalarMap, map_scalar
from triage.model.patch import Edit

Edits = tuple[Edit, ...]


def replace_scalar(document: YamlDocument, node: yaml.ScalarNode, text: str, *, why: str) -> Edits | Refusal:
    """The whole text of a scalar of one line; its quotes stay, a plain one gets quotes where it needs them."""
    if id(node) in document.aliased:
        return Refusal("it is shared through an anchor", document.path, document.line(node))
    if node.style in ("|", ">") or "\n" in node.value or node.start_mark.line != node.end_mark.line:
        return Refusal("it has several lines", document.path, document.line(node))
    start, end = document.start(node), document.end(node)
    if node.style in ("'", '"'):
        inner = encoded(text, node.style)
        return inner if isinstance(inner, Refusal) else _verified(document, start, start + 1, end - 1, inner, text, why)
    # A number in place of a number stays one: a workflow with a quoted timeout-minutes is not valid.
    numbers = is_plain(node.value) and is_plain(text)
    plain = text if numbers else encoded(text, "", inside=False)
    written = quoted(text) if isinstance(plain, Refusal) else plain
    if isinstance(written, Refusal):
        return written
    empty = node.value == "" and document.data[start - 1 : start] == b":"
    return _verified(document, start + empty, start, end, " " * empty + written, text, why)


def splice_scalar(
    document: YamlDocument, node: yaml.ScalarNode, start: int, end: int, text: str, *, why: str
) -> Edits | Refusal:
    """Characters `start`..`end` of the decoded text become `text`, in the scalar's own style."""
    if id(node) in document.aliased:
        return Refusal("it is shared through an anchor", document.path, document.line(node))
    mapped = map_scalar(document, node)
    if isinstance(mapped, Refusal):
        return mapped
    if not mapped.starts or not 0 <= start <= end <= len(mapped.starts):
        return Refusal("there is no such text in the scalar", document.path, document.line(node))
    if start == 0 and end == len(mapped.starts):
        return replace_scalar(document, node, text, why=why)
    first = mapped.starts[start] if start < len(mapped.starts) else mapped.ends[-1]
    last = mapped.ends[end - 1] if end > start else first
    inner = encoded(text, mapped.style)
    if isinstance(inner, Refusal):
        return inner
    wanted = node.value[:start] + text + node.value[end:]
    return _verified(document, document.start(node), first, last, inner, wanted, why)


def splice_bytes(
    document: YamlDocument, node: yaml.ScalarNode, start: int, end: int, text: str, *, why: str
) -> Edits | Refusal:
    """Like `splice_scalar`, for bytes `start`..`end` of the file."""
    mapped = map_scalar(document, node)
    if isinstance(mapped, Refusal):
        return mapped
    first, last = _character(mapped, start), _character(mapped, end)
    if first is None or last is None:
        return Refusal("there is no such text in the scalar", document.path, document.line(node))
    return splice_scalar(document, node, first, last, text, why=why)


def _character(mapped: ScalarMap, offset: int) -> int | None:
    """The decoded character that starts, or before which one ends, at a byte."""
    if offset in mapped.starts:
        return mapped.starts.index(offset)
    return mapped.ends.index(offset) + 1 if offset in mapped.ends else None


def _verified(
    document: YamlDocument, node_start: int, start: int, end: int, new: str, wanted: str, why: str
) -> Edits | Refusal:
    edits = (Edit(document.path, start, end, new.encode(), why),)
    edited = splice(document.data, edits)
    again = edited if isinstance(edited, Refusal) else parse_yaml(document.path, edited)
    found = None if isinstance(again, Refusal) else scalar_at(again, node_start)
    if found is None or found.value != wanted:
        return Refusal(f"`{new}` would not be read as that text there", document.path)
    return edits
