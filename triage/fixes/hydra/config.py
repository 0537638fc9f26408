"""Composes a configuration from its defaults lists, as text: enough to say which keys exist and what they hold."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import yaml

from triage.fixes.hydra.entry import Entry
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import parse_yaml
from triage.interfaces import Tree

_Loader: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_PACKAGE = re.compile(rb"^#\s*@package\s+(\S+)", re.M)
_REFERENCE = re.compile(r"\$\{([\w./@]+)\}")
_DEPTH = 20
# Files of one composition, those that several others name counted each time.
_MOST = 500

Nested = dict[str, object]
Package = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The key exists. `value` is its text, None for a mapping, a list or an interpolation."""

    value: str | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """The key does not exist; `parent` says whether the mapping that would hold it does."""

    parent: bool


@dataclass(frozen=True, slots=True)
class Configuration:
    """`root` holds mappings, lists and strings, before any interpolation. `file` is the one file that the command
    names, where it is no Hydra program: there a key is set that the command does not pass."""

    root: Mapping[str, object]
    file: str = ""

    def look(self, key: str) -> Present | Absent:
        parent, _, leaf = key.rpartition(".")
        node = self._node(parent) if parent else self.root
        if not isinstance(node, Mapping):
            return Absent(parent=False)
        if leaf not in node:
            return Absent(parent=True)
        value = node[leaf]
        return Present(value if isinstance(value, str) and "${" not in value else None)

    def text(self, key: str) -> str:
        """A single value as it is written, interpolations included; "" for what is none."""
        value = self._node(key)
        return value if isinstance(value, str) else ""

    def _node(self, key: str) -> object:
        node: object = self.root
        for part in key.split("."):
            node = node.get(part) if isinstance(node, Mapping) else None
        return node

    def keys(self) -> tuple[str, ...]:
        """Every dotted path, of mappings and of values."""
        return tuple(_paths(self.root, ""))

    def holds_nothing(self, key: str) -> bool:
        """Whether the mapping at a dotted path is there and empty: it takes what the program passes on."""
        node = self._node(key)
        return isinstance(node, Mapping) and not node

    def ending(self, suffix: str) -> tuple[str, ...]:
        """Every dotted path of a mapping that ends in `suffix`: the other places where the same setting could stand."""
        return tuple(path for path, _ in _mappings(self.root, "") if path == suffix or path.endswith(f".{suffix}"))


def _paths(node: Mapping[str, object], place: str) -> Iterator[str]:
    for name, value in node.items():
        path = f"{place}.{name}" if place else name
        yield path
        if isinstance(value, Mapping):
            yield from _paths(value, path)


def _mappings(node: Mapping[str, object], place: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, value in node.items():
        if isinstance(value, Mapping):
            path = f"{place}.{name}" if place else name
            yield path, value
            yield from _mappings(value, path)


def compose(tree: Tree, entry: Entry) -> Configuration | Refusal:
    """The configuration with the command line's overrides laid over it. Refusal when a part cannot be found or read."""
    try:
        composer = _Composer(tree, entry)
        root = composer.compose(entry.name, "", ())
    except _Unreadable as error:
        return Refusal(str(error), entry.directory)
    for override in entry.overrides:
        root = _merge(root, _laid(override, composer.groups))
    return Configuration(root)


def _laid(override: str, groups: Mapping[str, str]) -> Nested:
    """The mappings that an override stands for; none for deletions and choices of groups."""
    key, _, value = override.partition("=")
    key = key.lstrip("+")
    if key.startswith("~") or key in groups:
        return {}
    *parents, leaf = key.split(".")
    return _placed({leaf: value}, tuple(parents))


class _Unreadable(Exception):  # noqa: N818 - turned into a Refusal at the boundary
    pass


@dataclass(slots=True)
class _Composer:
    """Walks defaults lists depth first. `groups` holds the choice of each group: the outermost decision stands."""

    tree: Tree
    entry: Entry
    groups: dict[str, str] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    depth: int = 0
    count: int = 0

    def __post_init__(self) -> None:
        self.places = [self.entry.directory]
        primary = self._read(f"{self.entry.name}.yaml")
        hydra = primary.get("hydra")
        wanted = hydra.get("searchpath") if isinstance(hydra, dict) else None
        self.places += [_folder(str(item)) for item in wanted] if isinstance(wanted, list) else []
        for override in self.entry.overrides:
            key, _, value = override.partition("=")
            if self._is_group(key.partition("@")[0]):
                self.groups[key.lstrip("+")] = value

    def compose(self, name: str, group: str, package: Package) -> Nested:
        self.depth += 1
        if self.depth > _DEPTH:
            raise _Unreadable("the defaults lists include each other")
        self.count += 1
        if self.count > _MOST:
            raise _Unreadable(f"the defaults lists name more than {_MOST} files")
        content = dict(self._read(posixpath.join(group, f"{name.removesuffix('.yaml')}.yaml")))
        defaults = content.pop("defaults", [])
        content.pop("hydra", None)
        entries = defaults if isinstance(defaults, list) else []
        self._note_overrides(entries, group)
        merged: Nested = {}
        own = _placed(content, package)
        if "_self_" not in entries:
            merged = _merge(merged, own)
        for item in entries:
            merged = _merge(merged, own if item == "_self_" else self._default(item, group, package))
        self.depth -= 1
        return merged

    def _note_overrides(self, entries: list[object], group: str) -> None:
        for item in entries:
            for key, value in item.items() if isinstance(item, dict) else ():
                if key.startswith("override ") and not str(value).startswith("null"):
                    name = _joined(group, key.removeprefix("override ").strip())
                    self.groups.setdefault(name, str(value))

    def _default(self, item: object, group: str, package: Package) -> Nested:
        if isinstance(item, str):
            name, _, where = item.partition("@")
            path = posixpath.normpath(posixpath.join(group, name)) if not name.startswith("/") else name[1:]
            folder = posixpath.dirname(path)
            placed = self._package(f"{path}.yaml", folder, where, package) if where else package
            return self.compose(posixpath.basename(path), folder, placed)
        if not isinstance(item, dict) or len(item) != 1:
            raise _Unreadable(f"a defaults entry that is not understood: {item!r}")
        key, value = next(iter(item.items()))
        if key.startswith("override "):
            return {}
        optional = key.startswith("optional ")
        key = key.removeprefix("optional ").strip()
        name, _, where = key.partition("@")
        chosen = self.groups.setdefault(_joined(group, key), str(value))
        return self._group(_joined(group, name), chosen, where, package, optional)

    def _group(self, group: str, chosen: str, where: str, package: Package, optional: bool) -> Nested:
        if chosen in ("null", "None", ""):
            return {}
        chosen = _REFERENCE.sub(lambda found: self.groups.get(found[1], found[0]), chosen)
        path = posixpath.join(group, f"{chosen.removesuffix('.yaml')}.yaml")
        if optional and not self._find(path):
            return {}
        return self.compose(chosen, group, self._package(path, group, where, package))

    def _package(self, path: str, group: str, where: str, package: Package) -> Package:
        """`@where` on the entry, else the file's `# @package`, else the group's own path."""
        if not where:
            header = _PACKAGE.search(self.tree.read(self._find(path))) if self._find(path) else None
            where = header[1].decode() if header else group.replace("/", ".")
        if where == "_global_":
            return ()
        if where in ("_here_", "."):
            return package
        where = where.replace("_group_", group.replace("/", "."))
        return (*package, *where.removeprefix("_global_.").split("."))

    def _is_group(self, name: str) -> bool:
        if "." in name or not name:
            return False
        prefixes = tuple(f"{place}/{name.lstrip('+')}/" for place in self.places)
        return any(path.startswith(prefixes) and path.endswith(".yaml") for path in self.tree.paths())

    def _find(self, relative: str) -> str:
        candidates = (posixpath.normpath(posixpath.join(place, relative)) for place in self.places)
        return next((path for path in candidates if path in self.tree), "")

    def _read(self, relative: str) -> Nested:
        path = self._find(relative)
        if not path:
            raise _Unreadable(f"no {relative} in {', '.join(self.places)}")
        try:
            return _parsed(self.tree.read(path))
        except yaml.YAMLError as error:
            raise _Unreadable(f"{path} does not parse") from error


@lru_cache(maxsize=512)
def _parsed(content: bytes) -> Nested:
    """Shared by all who ask for the same bytes, so never changed: merging makes new mappings. Aliases that stand for
    too many values, and what is nested too deep to merge, do not parse."""
    if isinstance(document := parse_yaml("", content), Refusal):
        raise yaml.YAMLError(document.reason)
    parsed = yaml.load(content, Loader=_Loader)
    return parsed if isinstance(parsed, dict) else {}


def _folder(entry: str) -> str:
    """`file://a/b` and `pkg://a.b` as folders of the repository."""
    kind, _, rest = entry.rpartition("://")
    return rest.replace(".", "/") if kind == "pkg" else rest.strip("/")


def _joined(group: str, name: str) -> str:
    if name.startswith("/"):
        return name[1:]
    path, at, where = name.partition("@")
    return posixpath.normpath(posixpath.join(group, path)) + at + where


def _placed(content: Nested, package: Package) -> Nested:
    for part in reversed(package):
        content = {part: content}
    return content


def _merge(base: Nested, over: Nested) -> Nested:
    merged = dict(base)
    for name, value in over.items():
        below = merged.get(name)
        merged[name] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def search_places(tree: Tree, entry: Entry) -> tuple[str, ...]:
    """The folders that Hydra looks through for this program, its own first; empty when its configuration is missing."""
    try:
        return tuple(_Composer(tree, entry).places)
    except _Unreadable:
        return ()
