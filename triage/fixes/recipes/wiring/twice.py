"""A key that stands twice in one mapping, which YAML's readers forgive and GitHub does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import eol_at, indent_of, line_after, line_end, line_start, lines_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, content_end, entries, text_of
from triage.model.patch import Edit, Expectation, as_promised

# Keys that hold words for a command line, and values that are nothing else.
_SEVERAL = re.compile(
    r"(?:args|arguments|options|opts|packages|pkgs|requirements|dependencies|deps|flags|extras|labels|markers)\Z"
)
# Of so many entries each is looked for after the edit; all of them move as one text.
_MOST = 40
_FEW_WORDS = re.compile(r"[\w.=/<>~-]+(?: [\w.=/<>~-]+)*\Z", re.A)


def defined_twice(document: YamlDocument) -> Iterator[Outcome]:
    """The second `env` of a step: its entries go to the first, where no name stands in both."""
    for place, job, node in _mappings(document.root, "", ""):
        seen: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = text_of(key)
            if name in seen and name != "<<":
                yield _merged(document, seen[name], key, value, f"{place}.{name}".lstrip("."), job)
            seen.setdefault(name, value)


def _mappings(node: yaml.Node | None, place: str, job: str) -> Iterator[tuple[str, str, yaml.MappingNode]]:
    """Every mapping by its semantic path, and the job that it is a part of."""
    if isinstance(node, yaml.MappingNode):
        yield place, job, node
    for index, one in enumerate(node.value if isinstance(node, yaml.SequenceNode) else ()):
        yield from _mappings(one, f"{place}[{index}]", job)
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        name = text_of(key)
        yield from _mappings(value, f"{place}.{name}".lstrip("."), name if place == "jobs" else job)


def _merged(
    document: YamlDocument, first: yaml.Node, key: yaml.Node, second: yaml.Node, place: str, job: str
) -> Outcome:
    data, name = document.data, text_of(key)
    start, end = line_start(data, document.start(key)), line_after(data, document.end(second))
    declared = (f"{document.path}:{place}",)
    if isinstance(first, yaml.ScalarNode) and isinstance(second, yaml.ScalarNode) and first.value == second.value:
        edit = Edit(document.path, start, end, b"", f"`{name}` stands there already")
        standing = as_promised(data[start : line_end(data, start)])
        return Edited((edit,), declared, (Expectation("line", standing, job, document.path),))
    if joined := _joined_words(document, first, key, second, place, job):
        return joined
    why, joining = f"`{name}` may stand once: its entries join those above", None
    if isinstance(first, yaml.MappingNode) and isinstance(second, yaml.MappingNode) and _apart(first, second):
        joining = (
            _into_braces(document, first, second) if first.flow_style else _below(document, first, key, second, end)
        )
    if joining is None or data[start : document.start(key)].strip() or not _own(document, first, second):
        return Refusal(f"`{name}` is defined twice, and the two cannot be joined", document.path, document.line(key))
    at, new = joining
    # Nothing between the two: the key alone is too much.
    body = line_after(data, document.start(key))
    near = at == start and new.rstrip() == data[body:end].rstrip()
    block = isinstance(first, yaml.MappingNode) and not first.flow_style
    lead, column = (b"" if near or not block else _remarks(data, start, at)), first.value[0][0].start_mark.column
    above = b"".join(b" " * column + line.lstrip(b" \t") for line in lines_of(lead))
    moved = (Edit(document.path, at, at, above + new, why), Edit(document.path, start - len(lead), end, b"", why))
    promises = tuple(
        Expectation("value", f"{place}.{own}={text_of(value)}", job, document.path)
        for own, _, value in entries(second)[:_MOST]
        if isinstance(value, yaml.ScalarNode)
    )
    return Edited((Edit(document.path, start, body, b"", why),) if near else moved, declared, promises)


def _own(document: YamlDocument, *nodes: yaml.Node) -> bool:
    """Whether both stand here alone, and are not what an anchor elsewhere holds."""
    return not any(id(one) in document.aliased for one in nodes)


def _remarks(data: bytes, start: int, least: int) -> bytes:
    """The lines right above that are remarks of the same column."""
    first, indent = start, indent_of(data[start : line_after(data, start)])
    while first > least:
        above = line_start(data, first - 1)
        line = data[above:first]
        if above < least or not line.lstrip(b" ").startswith(b"#") or indent_of(line) != indent:
            break
        first = above
    return data[first:start]


def _below(
    document: YamlDocument, first: yaml.MappingNode, key: yaml.Node, second: yaml.MappingNode, end: int
) -> tuple[int, bytes] | None:
    """The place behind the first's entries, and the second's as lines in their column. None where they cannot be."""
    data, column = document.data, first.value[0][0].start_mark.column
    at = line_after(data, document.byte(content_end(document.text, first)))
    if second.flow_style:
        written = _written(document, second)
        eol = eol_at(data, at - 1)
        return None if written is None else (at, b"".join(b" " * column + one + eol for one in written))
    body = data[line_after(data, document.start(key)) : end]
    body += b"" if body.endswith(b"\n") else eol_at(data, at - 1)
    more = column - second.value[0][0].start_mark.column
    lines = [b" " * (indent_of(line) + more) + line.lstrip(b" ") if line.strip() else line for line in lines_of(body)]
    return at, b"".join(lines)


def _into_braces(document: YamlDocument, first: yaml.MappingNode, second: yaml.MappingNode) -> tuple[int, bytes] | None:
    """The place before the first's closing brace, and the second's entries. None where they mean something else in
    braces."""
    written, before = _written(document, second), document.data[: document.end(first) - 1].rstrip(b" ")
    if written is None or before.endswith((b",", b"\n")) or (not second.flow_style and not _plain(second)):
        return None
    return len(before), b"".join(b", " + one for one in written)


def _plain(node: yaml.MappingNode) -> bool:
    return all(
        isinstance(value, yaml.ScalarNode) and not re.search(r"[,\[\]{}]", value.value) for _, value in node.value
    )


def _written(document: YamlDocument, node: yaml.MappingNode) -> list[bytes] | None:
    """Each entry as it is written, on one line; None where one takes several."""
    found = [document.data[document.start(key) : document.end(value)] for key, value in node.value]
    return None if any(b"\n" in one for one in found) else found


def _joined_words(
    document: YamlDocument, first: yaml.Node, key: yaml.Node, second: yaml.Node, place: str, job: str
) -> Outcome | None:
    """Both values behind one key that takes several words, such as packages or arguments. None for other keys."""
    data, plain = document.data, [one for one in (first, second) if isinstance(one, yaml.ScalarNode) and not one.style]
    if len(plain) != 2 or not _SEVERAL.search(text_of(key)) or not all(_FEW_WORDS.match(one.value) for one in plain):
        return None
    start, end = line_start(data, document.start(key)), line_after(data, document.end(second))
    if data[start : document.start(key)].strip() or any(id(one) in document.aliased for one in plain):
        return None
    why = f"`{text_of(key)}` may stand once, and takes several words"
    new, at = f" {text_of(second)}".encode(), document.end(first)
    edits = (Edit(document.path, at, at, new, why), Edit(document.path, start, end, b"", why))
    promise = Expectation("value", f"{place}={text_of(first)} {text_of(second)}", job, document.path)
    return Edited(edits, (f"{document.path}:{place}",), (promise,))


def _apart(first: yaml.MappingNode, second: yaml.MappingNode) -> bool:
    """Two mappings without a name in common, and without merges, whose entries stand elsewhere."""
    names = [text_of(key) for key, _ in (*first.value, *second.value)]
    filled = bool(first.value and second.value)
    return filled and len(set(names)) == len(names) and "<<" not in names
