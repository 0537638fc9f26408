"""Which distributions the repository itself names, and where: requirements files, extras, and the lock.

A module's name comes from an untrusted log. It may only select among these.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from triage.interfaces import Tree
from triage.model.signature import Tables

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*(.*)")
_INCLUDE = re.compile(r"\s*(?:-r|--requirement)[ =]\s*(\S+)")
_SEPARATORS = re.compile(r"[-_.]+")
_REQUIREMENTS = re.compile(r"(?:^|/)(?:requirements[^/]*|requirements/[^/]+)\.txt\Z")
_LOCKED = re.compile(r'^\[\[package\]\]\nname = "([^"]+)"\nversion = "([^"]+)"', re.M)
_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Named:
    """A requirement where the tree names it: `spec` as written ("TransferQueue==0.1.7"), `extra` of pyproject files.

    `pin` is the part after the name, "" for none; `name` is normalised (PEP 503).
    """

    name: str
    spec: str
    pin: str
    path: str
    line: int = 0
    extra: str = ""

    @property
    def written(self) -> str:
        """The name as the repository spells it."""
        return self.spec[: len(self.spec) - len(self.pin)].strip() if self.pin else self.spec


def normalised(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def distributions(module: str, tables: Tables) -> tuple[str, ...]:
    """Normalised names under which the import may be distributed: the table's, then the module's own."""
    parts = module.split(".")
    prefixes = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    listed = [name for prefix in prefixes for name in tables.distributions.get(prefix, ())]
    return tuple(dict.fromkeys(normalised(name) for name in [*listed, *([parts[0]] if not listed else [])]))


def requirement_files(tree: Tree) -> tuple[str, ...]:
    return tuple(path for path in tree.paths() if _REQUIREMENTS.search(path))


def in_file(tree: Tree, path: str, depth: int = 0) -> tuple[Named, ...]:
    """The requirements of one file, those that it includes too."""
    if path not in tree or depth > _DEPTH:
        return ()
    found: list[Named] = []
    for number, raw in enumerate(tree.read(path).decode("utf-8", "replace").splitlines(), 1):
        included = _INCLUDE.match(raw)
        if included:
            below = posixpath.normpath(posixpath.join(posixpath.dirname(path), included[1]))
            found += in_file(tree, below, depth + 1)
        else:
            found += parsed(raw, path, number)
    return tuple(found)


def parsed(text: str, path: str, line: int = 0, extra: str = "") -> Iterator[Named]:
    """At most one requirement: comments, options, URLs and blank lines are none."""
    spec = text.partition(" #")[0].partition(";")[0].strip()
    if not spec or spec.startswith(("#", "-")) or "://" in spec.partition("@")[0]:
        return
    match = _NAME.match(spec)
    if match:
        yield Named(normalised(match[1]), spec, match[3].strip(), path, line, extra)


def in_pyproject(tree: Tree, path: str = "pyproject.toml") -> tuple[Named, ...]:
    """Dependencies, extras and dependency groups; `extra` is "" for what is always installed."""
    if path not in tree:
        return ()
    try:
        project = tomllib.loads(tree.read(path).decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return ()
    table = project.get("project")
    table = table if isinstance(table, dict) else {}
    groups = [("", table.get("dependencies")), *_items(table.get("optional-dependencies"))]
    groups += _items(project.get("dependency-groups"))
    return tuple(
        named
        for extra, specs in groups
        for spec in (specs if isinstance(specs, list) else [])
        if isinstance(spec, str)
        for named in parsed(spec, path, extra=extra)
    )


def _items(table: object) -> list[tuple[str, object]]:
    return list(table.items()) if isinstance(table, Mapping) else []


def locked(tree: Tree, path: str = "uv.lock") -> dict[str, str]:
    """Normalised distribution -> version of the lock; of several versions, the last."""
    if path not in tree:
        return {}
    return {normalised(name): version for name, version in _LOCKED.findall(tree.read(path).decode("utf-8", "replace"))}


def is_module_of(tree: Tree, module: str) -> bool:
    """Whether the repository itself holds the top-level package or module: then nothing is to be installed."""
    top = module.split(".")[0]
    places = tuple(f"{root}{top}" for root in ("", "src/", "python/"))
    files = {f"{place}.py" for place in places} | {f"{place}/__init__.py" for place in places}
    folders = tuple(f"{place}/" for place in places)
    return any(path in files or (path.startswith(folders) and path.endswith(".py")) for path in tree.paths())


def naming(named: Iterable[Named], wanted: Iterable[str]) -> tuple[Named, ...]:
    """Those of `named` that are one of `wanted`, in the order of `wanted`. Separators do not tell names apart."""
    by_name: dict[str, list[Named]] = {}
    for one in named:
        by_name.setdefault(one.name.replace("-", ""), []).append(one)
    return tuple(one for name in wanted for one in by_name.get(name.replace("-", ""), ()))
