"""The names of a package at each of its releases, from the sources as they were tagged. Nothing is run."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Release = tuple[int, ...]
_TAG = re.compile(r"(?:[a-z_]+[-_/])?v?([0-9]+(?:\.[0-9]+){1,2})\Z")
# What packages hold beside what others import from them.
_PRIVATE = ("tests", "test", "testing", "examples", "benchmarks")
# Sub-packages, and modules of these, that are followed below the package itself.
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Module -> its names; an empty set for modules too deep to be looked into, or that make their names as they run."""

    release: Release
    modules: Mapping[str, frozenset[str]]


def snapshots(git: Path, folder: str, since: int) -> tuple[Snapshot, ...]:
    """Of the releases that were tagged in that year or later, oldest first."""
    return tuple(
        Snapshot(release, modules) for release, tag in _tags(git, since) if (modules := _modules(git, tag, folder))
    )


def _tags(git: Path, since: int) -> list[tuple[Release, str]]:
    listed = _git(git, "for-each-ref", "refs/tags", "--format=%(refname:short) %(creatordate:format:%Y)").decode()
    found = {}
    for line in listed.splitlines():
        tag, _, year = line.rpartition(" ")
        match = _TAG.match(tag)
        if match and int(year or 0) >= since:
            found[tuple(int(part) for part in match[1].split("."))] = tag
    return sorted(found.items())


def _modules(git: Path, tag: str, folder: str) -> dict[str, frozenset[str]]:
    package = (
        folder.rpartition("/")[2] if folder.count("/") < 1 or folder.startswith("src/") else folder.replace("/", ".")
    )
    made = {}
    for line in _git(git, "ls-tree", "-r", tag, "--", f"{folder}/").decode().splitlines():
        described, _, path = line.partition("\t")
        parts = path.removeprefix(f"{folder}/").removesuffix(".py").split("/")
        initial = parts[-1] == "__init__"
        below = parts[:-1] if initial else parts
        if not path.endswith(".py") or len(below) > _DEPTH or any(p.startswith("_") or p in _PRIVATE for p in below):
            continue
        looked_into = len(below) <= 1
        names = _names(git, described.split()[2], initial) if looked_into else frozenset()
        made[".".join([package, *below])] = names
    return made


@cache
def _names(git: Path, blob: str, initial: bool) -> frozenset[str]:
    try:
        tree = ast.parse(_git(git, "cat-file", "blob", blob))
    except (SyntaxError, ValueError):
        return frozenset()
    bound = _of_body(tree.body, initial)
    if "*" in bound or (not initial and "__getattr__" in bound):
        return frozenset()
    return frozenset(name for name in bound if name.isidentifier() and not name.startswith("_"))


def _of_body(body: Sequence[ast.stmt], initial: bool) -> set[str]:
    return {name for statement in body for name in _of(statement, initial)}


def _of(statement: ast.stmt, initial: bool) -> Iterator[str]:
    """What a statement of a module binds; of a package's first module also what it lists for a lazy import."""
    match statement:
        case ast.FunctionDef(name="__getattr__", body=body) if initial:
            yield from (text for inner in body for text in _texts(inner))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets, value=value):
            yield from (one.id for one in targets if isinstance(one, ast.Name))
            yield from _texts(value) if initial else ()
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.ImportFrom(names=names):
            yield from (one.asname or one.name for one in names if initial or one.name == "*")
        case ast.Expr(value=ast.Call() as value) if initial:
            yield from _texts(value)
        case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
            handlers = statement.handlers if isinstance(statement, ast.Try) else []
            yield from _of_body([*body, *other, *(each for one in handlers for each in one.body)], initial)
        case _:
            return


def _texts(value: ast.AST) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _git(git: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "--git-dir", str(git), *arguments], capture_output=True, check=True).stdout
