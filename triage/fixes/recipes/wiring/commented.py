"""Comments inside of a condition that is a block: YAML keeps them as text, and an expression has none."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from triage.fixes.document import eol_at, line_after, line_start
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.keys import mappings
from triage.fixes.yaml.nodes import YamlDocument, entries
from triage.model.patch import Edit, Expectation, as_promised

_WHY = "an expression has no comments: the line stands above the condition"


def comments_in_conditions(document: YamlDocument) -> Iterator[Outcome]:
    """The comments of a condition of several lines go above its key."""
    for place, job, owner, known in mappings(document):
        for name, key, value in entries(owner) if "if" in known else ():
            block = isinstance(value, yaml.ScalarNode) and value.style in ("|", ">")
            if name == "if" and block and any(_is_comment(line) for line in _lines(document, value)):
                yield _lifted(document, key, value, f"{place}.if", job)


def _lines(document: YamlDocument, value: yaml.Node) -> list[bytes]:
    """As they are written: a folded block has become one line."""
    return document.data[line_after(document.data, document.start(value)) : document.end(value)].splitlines()


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b"#")


def _lifted(document: YamlDocument, key: yaml.Node, value: yaml.Node, place: str, job: str) -> Outcome:
    data = document.data
    at = line_start(data, document.start(key))
    column = document.start(key) - at
    first, last = line_after(data, document.start(value)), document.end(value)
    removed, lines, here = [], [], first
    while here < last:
        end = line_after(data, here)
        if _is_comment(data[here:end]):
            removed.append(Edit(document.path, here, end, b"", _WHY))
            lines.append(b" " * column + data[here:end].strip() + eol_at(data, at))
        here = end
    kept = [line for line in _lines(document, value) if line.strip() and not _is_comment(line)]
    if not kept or id(value) in document.aliased or data[at : document.start(key)].strip():
        return Refusal("the condition holds comments, which no expression may", document.path, document.line(key))
    above = Edit(document.path, at, at, b"".join(lines), _WHY)
    promise = Expectation("line", as_promised(kept[0]), job, document.path)
    return Edited((above, *removed), (f"{document.path}:{place}",), (promise,))
