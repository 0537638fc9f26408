"""Where a project declares what it requires: pyproject.toml, setup.py, and the requirements files that they read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.document import line_of
from triage.fixes.requirements import Named, in_file, in_pyproject, normalised, parsed, requirement_files
from triage.interfaces import Tree

_STRING = re.compile(rb"\"([^\"\n\\]*)\"|'([^'\n]*)'")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A requirement as a file holds it: `named.spec` stands at bytes `start`..`end` of `path`."""

    path: str
    start: int
    end: int
    named: Named


def declarations(tree: Tree, folder: str, name: str) -> tuple[Declaration, ...]:
    """Every place where the project in `folder` ("." the root) names the distribution."""
    wanted = normalised(name)
    under = "" if folder in (".", "") else f"{folder}/"
    project, setup = f"{under}pyproject.toml", f"{under}setup.py"
    found = [*_in_project(tree, project, wanted), *_in_setup(tree, setup, wanted)]
    for path in read_files(tree, folder):
        found += in_requirements(tree, path, wanted)
    return tuple(found)


def read_files(tree: Tree, folder: str) -> tuple[str, ...]:
    """Requirements files that the project's own files name: setup.py reads them, or pyproject.toml's dynamic table."""
    under = "" if folder in (".", "") else f"{folder}/"
    texts = [tree.read(path) for path in (f"{under}pyproject.toml", f"{under}setup.py") if path in tree]
    strings = {(one[1] or one[2] or b"").decode("utf-8", "replace") for text in texts for one in _STRING.finditer(text)}
    return tuple(path for path in requirement_files(tree) if path.startswith(under) and path[len(under) :] in strings)


def in_requirements(tree: Tree, path: str, wanted: str) -> Iterator[Declaration]:
    """Of a requirements file and those that it includes."""
    for named in in_file(tree, path):
        if named.name == wanted:
            data = tree.read(named.path)
            start = _line(data, named.line)
            at = data.find(named.spec.encode(), start)
            if at >= 0 and line_of(data, at) == named.line:
                yield Declaration(named.path, at, at + len(named.spec.encode()), named)


def _line(data: bytes, number: int) -> int:
    at = 0
    for _ in range(number - 1):
        at = data.find(b"\n", at) + 1
    return at


def _in_project(tree: Tree, path: str, wanted: str) -> Iterator[Declaration]:
    """Strings of pyproject.toml that are one of the requirements that it really declares."""
    specs = {one.spec for one in in_pyproject(tree, path) if one.name == wanted}
    data = tree.read(path) if specs else b""
    for found in _STRING.finditer(data):
        start = found.start() + 1
        if data[data.rfind(b"\n", 0, start) + 1 : start].lstrip().startswith(b"#"):
            continue
        for named in parsed((found[1] or found[2] or b"").decode("utf-8", "replace"), path, line_of(data, start)):
            if named.spec in specs:
                yield from _at(data, path, start, named)


def _in_setup(tree: Tree, path: str, wanted: str) -> Iterator[Declaration]:
    """Strings of setup.py that are items of a list and name the distribution; the file is read, never run."""
    if path not in tree:
        return
    data = tree.read(path)
    try:
        module = ast.parse(data)
    except (SyntaxError, ValueError):
        return
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for item in _items(module):
        start = starts[item.lineno - 1] + item.col_offset + 1
        for named in parsed(str(item.value), path, item.lineno):
            if named.name == wanted:
                yield from _at(data, path, start, named)


def _items(module: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(module):
        if isinstance(node, ast.List | ast.Tuple):
            yield from (one for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _at(data: bytes, path: str, start: int, named: Named) -> Iterator[Declaration]:
    """Only where the file holds the requirement as it was read: no escapes, no joined strings."""
    end = start + len(named.spec.encode())
    if data[start:end] == named.spec.encode():
        yield Declaration(path, start, end, named)
