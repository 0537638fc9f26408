"""`contents: {}` among permissions: a scope takes a word, only `permissions` itself may be empty."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, child, entries
from triage.model.patch import Edit, Expectation

_WHY = "a scope takes `read`, `write` or `none`"


def empty_scopes(document: YamlDocument) -> Iterator[Outcome]:
    """An empty scope grants nothing: `none`; where nothing else stands there, `permissions: {}` says the same."""
    owners = [("", "", document.root)]
    owners += [(f"jobs.{name}.", name, node) for name, _, node in entries(child(document.root, "jobs"))]
    for prefix, job, owner in owners:
        for name, key, node in entries(owner):
            if name == "permissions" and isinstance(node, yaml.MappingNode):
                yield from _mended(document, key, node, f"{prefix}permissions", job)


def _mended(
    document: YamlDocument, key: yaml.Node, permissions: yaml.MappingNode, place: str, job: str
) -> Iterator[Outcome]:
    for scope, _, value in entries(permissions):
        if not _empty(value):
            continue
        if id(value) in document.aliased or id(permissions) in document.aliased:
            yield Refusal("the permissions are shared through an anchor", document.path, document.line(value))
        elif len(permissions.value) == 1 and (edit := _whole(document, key, permissions, value)) is not None:
            # Of a mapping without entries no value can be promised, only the line.
            promise = Expectation("line", "permissions: {}", job, document.path)
            yield Edited((edit,), (f"{document.path}:{place}",), (promise,))
        else:
            edit = Edit(document.path, document.start(value), document.end(value), b"none", _WHY)
            promise = Expectation("value", f"{place}.{scope}=none", job, document.path)
            yield Edited((edit,), (f"{document.path}:{place}.{scope}",), (promise,))


def _empty(value: yaml.Node) -> bool:
    return isinstance(value, yaml.MappingNode | yaml.SequenceNode) and not value.value


def _whole(document: YamlDocument, key: yaml.Node, permissions: yaml.MappingNode, value: yaml.Node) -> Edit | None:
    """The whole mapping becomes `{}`; None where a comment stands inside of it."""
    start = document.end(key)
    end = document.end(permissions) if permissions.flow_style else document.end(value)
    held = document.data[start:end]
    if b"#" in held or not held.startswith(b":"):
        return None
    return Edit(document.path, start, end, b": {}", _WHY)
