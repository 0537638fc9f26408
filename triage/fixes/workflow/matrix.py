"""Matrix expansion: the product of the lists, `exclude`, then `include`, as GitHub does it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

import yaml

from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.workflow.expressions import Context, substitute
from triage.fixes.workflow.model import Combination
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items

# GitHub's own limit for jobs of one matrix.
CELLS_CAP = 256
_OF_MATRIX = re.compile(r"\$\{\{\s*matrix\.(?P<key>[\w-]+)\s*\}\}\Z")

Cell = dict[str, yaml.Node]


def combinations(document: YamlDocument, job: yaml.Node, context: Context) -> tuple[Combination, ...]:
    """Every cell of the job's matrix; one dynamic cell when it is computed; one empty cell when there is none."""
    matrix = child(job, "strategy", "matrix")
    if matrix is None:
        return (Combination(),)
    cells = _cells(matrix) if isinstance(matrix, yaml.MappingNode) else None
    if not cells:
        return (Combination(dynamic=True),)
    return tuple(_combination(document, cell, context) for cell in cells[:CELLS_CAP])


def key_of_matrix(text: str) -> str:
    """The value of the matrix that a text is, and nothing else; "" for all other texts."""
    found = _OF_MATRIX.match(text.strip())
    return found["key"] if found is not None else ""


def matrix_values(
    job: yaml.Node, place: str, key: str, lists: Sequence[str] = ("include",)
) -> Iterator[tuple[yaml.Node, str]]:
    """What the matrix gives a key, in its own list and in the entries of `lists`, each with its semantic path."""
    matrix = child(job, "strategy", "matrix")
    for at, one in enumerate(items(child(matrix, key))):
        yield one, f"{place}.strategy.matrix.{key}[{at}]"
    for name in lists:
        for at, entry in enumerate(items(child(matrix, name))):
            if (given := child(entry, key)) is not None:
                yield given, f"{place}.strategy.matrix.{name}[{at}].{key}"


def _cells(matrix: yaml.MappingNode) -> list[Cell] | None:
    """None when a list, `include` or `exclude` is an expression."""
    axes, include, exclude = [], [], []
    for name, _, node in entries(matrix):
        if not isinstance(node, yaml.SequenceNode):
            return None
        if name == "include":
            include = [_cell(item) for item in items(node)]
        elif name == "exclude":
            exclude = [_cell(item) for item in items(node)]
        else:
            axes.append((name, list(node.value)))
    size = 1
    for _, values in axes:
        size *= len(values)
    if max(size, len(include), len(exclude)) > CELLS_CAP * 4:
        return None
    names = [name for name, _ in axes]
    every = product(*(values for _, values in axes)) if axes else ()
    cells: list[Cell] = [dict(zip(names, cell, strict=True)) for cell in every]
    cells = [cell for cell in cells if not any(_covers(cell, out) for out in exclude)]
    return _included(cells, include, names)


def _cell(node: yaml.Node) -> Cell:
    return {key: value for key, _, value in entries(node)}


def _covers(cell: Cell, part: Cell) -> bool:
    return bool(part) and all(name in cell and _same(cell[name], node) for name, node in part.items())


def _included(cells: list[Cell], include: list[Cell], axes: list[str]) -> list[Cell]:
    """An entry extends every cell whose axis values it does not change; one that fits none is a cell of its own."""
    extended, alone = [dict(cell) for cell in cells], []
    for entry in include:
        fits = [at for at, cell in enumerate(cells) if _extends(cell, entry)]
        for at in fits:
            extended[at] |= {name: node for name, node in entry.items() if name not in axes}
        if not fits:
            alone.append(dict(entry))
    return extended + alone


def _extends(cell: Cell, entry: Cell) -> bool:
    return all(name not in cell or _same(cell[name], node) for name, node in entry.items())


def _same(left: yaml.Node, right: yaml.Node) -> bool:
    return [leaf.value for leaf in _leaves(left)] == [leaf.value for leaf in _leaves(right)]


def _leaves(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _leaves(item)
    else:
        for _, _, value in entries(node):
            yield from _leaves(value)


def _combination(document: YamlDocument, cell: Cell, context: Context) -> Combination:
    """`label` lists every leaf, as GitHub shows them behind the job's name."""
    values: dict[str, Value] = {}
    for name, node in cell.items():
        values |= dict(_values(document, f"matrix.{name}".lower(), node, context))
    leaves = (leaf for node in cell.values() for leaf in _leaves(node))
    shown = [str(substitute(document, leaf, context, SiteKind.MATRIX, "")) for leaf in leaves]
    return Combination(values, ", ".join(shown))


def _values(document: YamlDocument, name: str, node: yaml.Node, context: Context) -> Iterator[tuple[str, Value]]:
    if isinstance(node, yaml.ScalarNode):
        yield name, substitute(document, node, context, SiteKind.MATRIX, name.removeprefix("matrix."))
    for key, _, value in entries(node):
        yield from _values(document, f"{name}.{key}".lower(), value, context)
