"""What parses and is no workflow: misspelt keys, a key twice, a job without a runner, quotes of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import yaml

from triage.fixes.document import line_end, line_start, line_with
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.wiring.runnerless import without_runner
from triage.fixes.recipes.wiring.unparsed import repair_negations
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.keys import mappings
from triage.fixes.yaml.edits import Edits, splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, content_end, entries, every_node, text_of
from triage.model.patch import Edit, Expectation, as_promised

_EXPRESSION = re.compile(r"\$\{\{(?:[^}'\"]|'[^']*'|\"[^\"']*\")*\}\}")
# Keys that hold words for a command line, and values that are nothing else.
_SEVERAL = re.compile(
    r"(?:args|arguments|options|opts|packages|pkgs|requirements|dependencies|deps|flags|extras|labels|markers)\Z"
)
_FEW_WORDS = re.compile(r"[\w.=/<>~-]+(?: [\w.=/<>~-]+)*\Z", re.A)
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_TEXT = re.compile(r"'(?:[^']|'')*'|\"([^\"'{}]*)\"")


def misfits(document: YamlDocument) -> list[Outcome]:
    """One outcome for each defect that has a repair, or that stands where one would be."""
    found: list[Outcome] = [*_misspelt(document), *_twice(document), *without_runner(document)]
    found += [*_double_quotes(document), *_half_quoted(document, document.root, "", "")]
    if tagged := {node.start_mark.line for node in every_node(document.root) if _tagged(node)}:
        found.append(repair_negations(document.path, document.data, tagged))
    return found


def _tagged(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.startswith("!")


def _misspelt(document: YamlDocument) -> Iterator[Outcome]:
    """`run-on`, `timeout_minutes`: the key that it resembles, where the mapping lacks that one."""
    for place, job, node, known in mappings(document):
        names = [name for name, _, _ in entries(node)]
        for name, key, _ in entries(node):
            close = [] if name in known else get_close_matches(name.replace("_", "-"), known, n=1, cutoff=0.8)
            if close and close[0] not in names:
                yield _renamed(document, key, close[0], place, job)


def _renamed(document: YamlDocument, key: yaml.Node, new: str, place: str, job: str) -> Outcome:
    start, end, old = document.start(key), document.end(key), text_of(key)
    edit = Edit(document.path, start, end, new.encode(), f"GitHub knows no key `{old}` here")
    declared = tuple(f"{document.path}:{f'{place}.{name}'.lstrip('.')}" for name in (new, old))
    line = line_with(document.data, start, end, new.encode())
    promise = Expectation("line", as_promised(line), job, document.path)
    return Edited((edit,), declared, (promise,))


def _twice(document: YamlDocument) -> Iterator[Outcome]:
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
    start, end = line_start(data, document.start(key)), min(line_end(data, document.end(second)) + 1, len(data))
    declared = (f"{document.path}:{place}",)
    if isinstance(first, yaml.ScalarNode) and isinstance(second, yaml.ScalarNode) and first.value == second.value:
        edit = Edit(document.path, start, end, b"", f"`{name}` stands there already")
        standing = as_promised(data[start : line_end(data, start)])
        return Edited((edit,), declared, (Expectation("line", standing, job, document.path),))
    if joined := _joined_words(document, first, key, second, place, job):
        return joined
    if not _may_join(first, second) or data[start : document.start(key)].strip():
        return Refusal(f"`{name}` is defined twice, and the two cannot be joined", document.path, document.line(key))
    body = line_start(data, document.start(second.value[0][0]))
    at = line_end(data, document.byte(content_end(document.text, first))) + 1
    why = f"`{name}` may stand once: its entries join those above"
    moved = (Edit(document.path, at, at, data[body:end], why), Edit(document.path, start, end, b"", why))
    promises = tuple(
        Expectation("value", f"{place}.{own}={text_of(value)}", job, document.path)
        for own, _, value in entries(second)
        if isinstance(value, yaml.ScalarNode)
    )
    return Edited((Edit(document.path, start, body, b"", why),) if at == start else moved, declared, promises)


def _joined_words(
    document: YamlDocument, first: yaml.Node, key: yaml.Node, second: yaml.Node, place: str, job: str
) -> Outcome | None:
    """Both values behind one key that takes several words, such as packages or arguments. None for other keys."""
    data, plain = document.data, [one for one in (first, second) if isinstance(one, yaml.ScalarNode) and not one.style]
    if len(plain) != 2 or not _SEVERAL.search(text_of(key)) or not all(_FEW_WORDS.match(one.value) for one in plain):
        return None
    start, end = line_start(data, document.start(key)), min(line_end(data, document.end(second)) + 1, len(data))
    if data[start : document.start(key)].strip() or any(id(one) in document.aliased for one in plain):
        return None
    why = f"`{text_of(key)}` may stand once, and takes several words"
    new, at = f" {text_of(second)}".encode(), document.end(first)
    edits = (Edit(document.path, at, at, new, why), Edit(document.path, start, end, b"", why))
    promise = Expectation("value", f"{place}={text_of(first)} {text_of(second)}", job, document.path)
    return Edited(edits, (f"{document.path}:{place}",), (promise,))


def _may_join(first: yaml.Node, second: yaml.Node) -> bool:
    """Two block mappings in the same column without a name in common."""
    if not isinstance(first, yaml.MappingNode) or not isinstance(second, yaml.MappingNode):
        return False
    if first.flow_style or second.flow_style or not first.value or not second.value:
        return False
    apart = not {name for name, _, _ in entries(first)} & {name for name, _, _ in entries(second)}
    return apart and bool(first.value[0][0].start_mark.column == second.value[0][0].start_mark.column)


def _double_quotes(document: YamlDocument) -> Iterator[Outcome]:
    """`${{ matrix.x == "a" }}`, and `if: matrix.x == "a"`: expressions know only single quotes."""
    for place, job, node in scalars(document.root, "", ""):
        doubled = [span for first, text in expressions(place, node.value) for span in _doubled(first, text)]
        whole = node.value
        for start, end in reversed(doubled):
            whole = f"{whole[:start]}'{whole[start + 1 : end - 1]}'{whole[end:]}"
        for start, end in doubled:
            new = f"'{node.value[start + 1 : end - 1]}'"
            edits = splice_scalar(document, node, start, end, new, why="an expression takes single quotes")
            if isinstance(edits, Refusal):
                yield edits
            else:
                promise = Expectation("value", f"{place}={whole.strip()}", job, document.path)
                yield Edited(edits, (f"{document.path}:{place}",), (promise,))


def expressions(place: str, value: str) -> list[tuple[int, str]]:
    """What GitHub evaluates, with where it begins: a condition is an expression without braces too."""
    if place.endswith(".if") and "${{" not in value:
        return [(0, value)]
    return [(found.start(), found[0]) for found in _EXPRESSION.finditer(value)]


def blanked(expression: str) -> str:
    """What stands in quotes is text: only the quotes are left of it, in the same length."""
    return _QUOTED.sub(lambda one: "'" * len(one[0]), expression)


def spliced(
    document: YamlDocument, node: yaml.ScalarNode, changes: Sequence[tuple[int, int, str]], *, why: str
) -> tuple[str, Edits] | Refusal:
    """The scalar's text with all changes, each its start and end and what belongs there, and the edits that make it."""
    whole, edits = node.value, list[Edit]()
    for start, end, new in reversed(changes):
        whole = f"{whole[:start]}{new}{whole[end:]}"
    for start, end, new in changes:
        made = splice_scalar(document, node, start, end, new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
    return whole, tuple(edits)


def _doubled(first: int, expression: str) -> Iterator[tuple[int, int]]:
    """Texts in double quotes, but for those inside of a text in single ones, as JSON is."""
    for found in _TEXT.finditer(expression):
        if found[1] is not None:
            yield first + found.start(), first + found.end()


def scalars(node: yaml.Node | None, place: str, job: str) -> Iterator[tuple[str, str, yaml.ScalarNode]]:
    """Every scalar by its semantic path; `job` is the second part of a path below `jobs`."""
    if isinstance(node, yaml.ScalarNode):
        yield place, job, node
    elif isinstance(node, yaml.SequenceNode):
        for index, one in enumerate(node.value):
            yield from scalars(one, f"{place}[{index}]", job)
    for name, _, value in entries(node):
        yield from scalars(value, f"{place}.{name}".lstrip("."), name if place == "jobs" else job)


def _half_quoted(document: YamlDocument, node: yaml.Node | None, place: str, job: str) -> Iterator[Outcome]:
    """`3.10'` among items that are all quoted so: its first quote is gone."""
    listed = node.value if isinstance(node, yaml.SequenceNode) else []
    for index, one in enumerate(listed):
        yield from _half_quoted(document, one, f"{place}[{index}]", job)
        lost = _lost_quote(one, [other for other in listed if other is not one])
        if lost:
            at, where = document.start(one), f"{place}[{index}]"
            edit = Edit(
                document.path, at, at, lost.encode(), f"the other items are quoted, and this one ends in {lost}"
            )
            promise = Expectation("value", f"{where}={text_of(one)[:-1]}", job, document.path)
            yield Edited((edit,), (f"{document.path}:{where}",), (promise,))
    for name, _, value in entries(node):
        yield from _half_quoted(document, value, f"{place}.{name}".lstrip("."), name if place == "jobs" else job)


def _lost_quote(one: yaml.Node, others: list[yaml.Node]) -> str:
    """The quote that ends an unquoted item and that all others have; "" for an item that is as it should be."""
    lost = text_of(one)[-1:]
    plain = isinstance(one, yaml.ScalarNode) and not one.style and lost in ("'", '"') and text_of(one).count(lost) == 1
    alike = all(isinstance(other, yaml.ScalarNode) and other.style == lost for other in others)
    return lost if plain and others and alike else ""
