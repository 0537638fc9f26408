"""What parses and is no workflow: misspelt keys, a key twice, a job without a runner, quotes of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import yaml

from triage.fixes.document import line_with
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.wiring.runnerless import without_runner
from triage.fixes.recipes.wiring.twice import defined_twice
from triage.fixes.recipes.wiring.unparsed import repair_negations
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.keys import JOB, mappings
from triage.fixes.yaml.edits import Edits, splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node, text_of
from triage.model.patch import Edit, Expectation, as_promised

# Keys below `matrix` that are none of its variables, also where they slipped in from around it.
_NO_VARIABLES = frozenset({"include", "exclude", "fail-fast", "max-parallel", *JOB})
_EXPRESSION = re.compile(r"\$\{\{(?:[^}'\"]|'[^']*'|\"[^\"']*\")*\}\}")
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_TEXT = re.compile(r"'(?:[^']|'')*'|\"([^\"'{}]*)\"")


def misfits(document: YamlDocument) -> list[Outcome]:
    """One outcome for each defect that has a repair, or that stands where one would be."""
    found: list[Outcome] = [*_misspelt(document), *defined_twice(document), *without_runner(document)]
    found += [*_alone_in_matrix(document)]
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
            close = like_key(name, known)
            if close and close not in names:
                yield renamed(document, key, close, place, job)


def like_key(name: str, known: Sequence[str]) -> str:
    """The key that an unknown one resembles; "" for none."""
    close = [] if name in known else get_close_matches(name.replace("_", "-"), known, n=1, cutoff=0.8)
    return close[0] if close else ""


def renamed(document: YamlDocument, key: yaml.Node, new: str, place: str, job: str) -> Outcome:
    start, end, old = document.start(key), document.end(key), text_of(key)
    edit = Edit(document.path, start, end, new.encode(), f"GitHub knows no key `{old}` here")
    declared = tuple(f"{document.path}:{f'{place}.{name}'.lstrip('.')}" for name in (new, old))
    line = line_with(document.data, start, end, new.encode())
    promise = Expectation("line", as_promised(line), job, document.path)
    return Edited((edit,), declared, (promise,))


def _alone_in_matrix(document: YamlDocument) -> Iterator[Outcome]:
    """`fast: false` in a matrix: the values that a variable takes are a list, also where there is one."""
    for job, _, node in entries(child(document.root, "jobs")):
        for name, _, value in entries(child(node, "strategy", "matrix")):
            if name in _NO_VARIABLES or not isinstance(value, yaml.ScalarNode) or value.style or not value.value:
                continue
            start, end = document.start(value), document.end(value)
            written = document.data[start:end].decode("utf-8", "replace")
            if "${{" in value.value or any(sign in written for sign in ",[]{}&*!\n"):
                continue
            edit = Edit(document.path, start, end, f"[{written}]".encode(), "a variable of a matrix takes a list")
            place = f"jobs.{job}.strategy.matrix.{name}"
            promise = Expectation("value", f"{place}[0]={value.value}", job, document.path)
            yield Edited((edit,), (f"{document.path}:{place}", f"{document.path}:{place}[0]"), (promise,))


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
