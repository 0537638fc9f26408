"""YAML read as plain strings, lists and mappings, with the line of every value.

Scalars stay strings: a version 3.10 must not become 3.1, nor the key `on` become True. Types are ours to give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from triage.catalogue.findings import Finding

Path = tuple[str | int, ...]
Value = str | list["Value"] | dict[str, "Value"]

# More than any signature needs; they keep a hostile repository's file from exhausting the stack, or memory by aliases
# of aliases.
_MAX_DEPTH = 24
_MAX_VALUES = 20_000


@dataclass(frozen=True, slots=True)
class Document:
    """`lines`: the path of every key and item -> its line, from 1."""

    source: str
    value: Value
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """The line of `path`, or of its nearest known parent."""
        for length in range(len(path), 0, -1):
            if (found := self.lines.get(path[:length])) is not None:
                return found
        return 1


def read(text: str, source: str) -> tuple[Document, tuple[Finding, ...]]:
    """The document, and what is wrong with its YAML. With a syntax error the value is an empty mapping."""
    lines: dict[Path, int] = {}
    findings: list[Finding] = []
    try:
        loader = yaml.CSafeLoader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as fault:
        return Document(source, {}), (Finding(source, _line_of(fault), "SIG000", _sentence(fault)),)
    value = _plain(root, (), source, lines, findings) if root is not None else {}
    return Document(source, value, lines), tuple(findings)


def _plain(node: yaml.Node, path: Path, source: str, lines: dict[Path, int], findings: list[Finding]) -> Value:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if len(lines) > _MAX_VALUES:
        if len(lines) == _MAX_VALUES + 1:
            findings.append(Finding(source, line, "SIG000", f"more than {_MAX_VALUES} values"))
            lines[(*path, "")] = line
        return ""
    if len(path) > _MAX_DEPTH:
        findings.append(Finding(source, line, "SIG000", f"nested more than {_MAX_DEPTH} deep (or an alias of itself)"))
        return ""
    match node:
        case yaml.ScalarNode():
            # Numbers, booleans and plain words are all what was typed; only an empty or null scalar is "".
            return "" if node.tag.endswith(":null") else str(node.value)
        case yaml.SequenceNode():
            return [_plain(item, (*path, at), source, lines, findings) for at, item in enumerate(node.value)]
        case yaml.MappingNode():
            return _mapping(node, path, source, lines, findings)
        case _:
            raise AssertionError(f"PyYAML composed a {type(node).__name__}")


def _mapping(
    node: yaml.MappingNode, path: Path, source: str, lines: dict[Path, int], findings: list[Finding]
) -> dict[str, Value]:
    made: dict[str, Value] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            findings.append(Finding(source, line, "SIG000", "a key must be a word"))
            continue
        key = str(key_node.value)
        if key in made:
            findings.append(Finding(source, line, "SIG001", f"the key `{key}` is given twice"))
        lines[(*path, key)] = line
        made[key] = _plain(value_node, (*path, key), source, lines, findings)
    return made


def _line_of(fault: yaml.YAMLError) -> int:
    mark = getattr(fault, "problem_mark", None)
    return mark.line + 1 if mark is not None else 1


def _sentence(fault: yaml.YAMLError) -> str:
    return f"not YAML: {getattr(fault, 'problem', None) or getattr(fault, 'reason', None) or fault}"
