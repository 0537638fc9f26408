"""A package inside of the project's own that no wheel of it has: whoever lists the packages one by one left it out."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from triage.fixes.document import eol_at, line_start, offset_of
from triage.fixes.manifests import toml
from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

_LISTED = ("tool", "setuptools", "packages")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_ROOTS = ("", "src/", "python/")
# What a wheel may well be without.
_ASIDE = frozenset(("tests", "test", "testing", "benchmarks", "examples"))


@dataclass(frozen=True, slots=True)
class _List:
    """The packages that a manifest lists; `starts` and `end` take in their quotes."""

    path: str
    names: tuple[str, ...]
    starts: tuple[int, ...]
    end: int


def list_package(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """In the one list of the tree that has the package above it, with the other packages that it lacks."""
    module = captures.get("module", "")
    if not _DOTTED.match(module):
        return Refusal("the log names no module inside of a package")
    top = module.partition(".")[0]
    held = [one for one in _lists(tree) if top in one.names]
    if len(held) != 1:
        return Refusal(f"no one setup.py or pyproject.toml lists {top} among its packages")
    own = held[0]
    folder = posixpath.dirname(own.path)
    root = next((base for one in _ROOTS if f"{(base := posixpath.join(folder, one))}{top}/__init__.py" in tree), None)
    root = root if root is None or not root or root.endswith("/") else f"{root}/"
    if root is None:
        return Refusal(f"{own.path} lists {top}, which does not lie beside it", own.path)
    there = _packages(tree, root, top)
    named = next((one for one in (module, module.rpartition(".")[0]) if one in there), "")
    if not named or named == top:
        return Refusal(f"the repository has no package {module}")
    if named in own.names:
        return InPlace(f"{own.path} lists {named}")
    return _added(tree, job, own, _lacking(own.names, there, named))


def _packages(tree: Tree, root: str, top: str) -> set[str]:
    """Below `top`, each with an `__init__.py` in all folders on its way."""
    ends = (path for path in tree.paths() if path.startswith(f"{root}{top}/") and path.endswith("/__init__.py"))
    found = {posixpath.dirname(path)[len(root) :].replace("/", ".") for path in ends}
    return {one for one in found if all(".".join(one.split(".")[:at]) in found for at in range(1, one.count(".") + 1))}


def _lacking(listed: Sequence[str], there: set[str], named: str) -> list[str]:
    """The package first, then every other that has code and is no matter of tests."""
    others = {one for one in there if not _ASIDE & {*one.split(".")} or f"{named}.".startswith(f"{one}.")}
    return [named, *sorted(others - {named, *listed})]


def _lists(tree: Tree) -> Iterator[_List]:
    for path in tree.paths():
        name = posixpath.basename(path)
        if name == "pyproject.toml":
            yield from _of_toml(path, tree.read(path))
        elif name == "setup.py":
            yield from _of_setup(path, tree.read(path))


def _of_toml(path: str, data: bytes) -> Iterator[_List]:
    found = toml.strings(data)
    own = (
        [] if isinstance(found, Refusal) else [one for one in found if one.place[:3] == _LISTED and len(one.place) == 4]
    )
    if own:
        yield _List(path, tuple(one.value for one in own), tuple(one.start - 1 for one in own), own[-1].end + 1)


def _of_setup(path: str, data: bytes) -> Iterator[_List]:
    """The list that `setup()` is given as it stands."""
    for node in python_nodes(data):
        keywords = node.keywords if isinstance(node, ast.Call) else []
        for value in (one.value for one in keywords if one.arg == "packages" and isinstance(one.value, ast.List)):
            texts = [one for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if texts and len(texts) == len(value.elts):
                starts = tuple(offset_of(data, one.lineno) + one.col_offset for one in texts)
                end = offset_of(data, texts[-1].end_lineno or 1) + (texts[-1].end_col_offset or 0)
                yield _List(path, tuple(str(one.value) for one in texts), starts, end)


def _added(tree: Tree, job: str, own: _List, names: Sequence[str]) -> Outcome:
    data = tree.read(own.path)
    quote = data[own.end - 1 : own.end]
    head = data[line_start(data, own.starts[-1]) : own.starts[-1]]
    joint = b", " if head.strip() else b"," + eol_at(data, own.end) + head
    new = b"".join(joint + quote + name.encode() + quote for name in names)
    edit = Edit(own.path, own.end, own.end, new, f"a wheel has only the packages that {own.path} lists")
    others = f"nor does it list {', '.join(names[1:])}: it comes with it" if names[1:] else ""
    title = f"List {names[0]} among the packages of {own.path}"
    because = "What lists its packages one by one ships no other, whatever the repository has."
    if own.path.endswith(".py"):
        declared = tuple(f"{own.path}:{name}" for name in names)
        made = Edited((edit,), declared, promised_of(tree, job, (edit,)), title=title, because=because)
        return made.noting(others)
    place, count = toml.shown(_LISTED), len(own.names)
    promises = tuple(
        Expectation("value", f"{place}[{count + at}]={name}", job, own.path) for at, name in enumerate(names)
    )
    made = Edited((edit,), (f"{own.path}:{place}",), promises, title=title, because=because)
    return made.noting(others)
