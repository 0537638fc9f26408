"""Where a project declares what it requires: pyproject.toml, setup.py, setup.cfg, and the requirements files they read.

Every place is located by a scan that is compared with what the format's own parser reads.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from triage.fixes.document import line_of
from triage.fixes.manifests import poetry, setup_cfg, setup_py, toml
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, in_file, in_pyproject, normalised, parsed, requirement_files
from triage.interfaces import Tree

ALWAYS = frozenset({""})
_INTERPOLATED = re.compile(r"%\((\S+)\)s")
# Stands for every extra, where a command selects all or a file works their names out.
ANY = setup_py.ANY
_BUILDS = "build-system."
_UV = ("override-dependencies", "constraint-dependencies", "dev-dependencies")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A requirement as a file holds it: `named.spec` stands at bytes `start`..`end` of `path`.

    `extras` are those that bring it, "" for always, "group:NAME" for a dependency group. In TOML, `place` is the
    semantic path of the whole string `text`.
    """

    path: str
    start: int
    end: int
    named: Named
    extras: frozenset[str] = ALWAYS
    place: str = ""
    text: str = ""

    def comes_with(self, chosen: frozenset[str]) -> bool:
        """Whether an installation with these extras asks for it."""
        if "" in self.extras or self.extras & chosen:
            return True
        groups = {extra for extra in self.extras if extra.startswith("group:")}
        some = {extra for extra in chosen if extra and not extra.startswith("group:")}
        return bool(
            (ANY in self.extras and some)
            or (ANY in chosen and self.extras - groups)
            or ("group:*" in chosen and groups)
        )


def declarations(tree: Tree, folder: str, name: str) -> tuple[Declaration | Refusal, ...]:
    """Every place where the project in `folder` ("." the root) names the distribution, or why one cannot be edited."""
    wanted = normalised(name)
    found = [
        *_in_project(tree, beside(folder, "pyproject.toml"), wanted),
        *_in_setup(tree, beside(folder, "setup.py"), wanted),
        *_in_configuration(tree, beside(folder, "setup.cfg"), wanted),
    ]
    for extras, path in read_files(tree, folder):
        found += [one if isinstance(one, Refusal) else replace(one, extras=extras)
                  for one in in_requirements(tree, path, wanted)]  # fmt: skip
    return tuple(dict.fromkeys(found))


def run_time(tree: Tree, folder: str, *names: str) -> list[Declaration]:
    """Those of any of the names, in their order, without what the project is built with: that is not there when it
    runs."""
    every = (one for name in names for one in declarations(tree, folder, name))
    return [one for one in every if isinstance(one, Declaration) and not one.place.startswith(_BUILDS)]


def beside(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))


def read_files(tree: Tree, folder: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Requirements files that setup.py reads, or that pyproject.toml's dynamic table names, with their extras."""
    project, setup = beside(folder, "pyproject.toml"), beside(folder, "setup.py")
    named = list(setup_py.mentioned(tree.read(setup))) if setup in tree else []
    placed = toml.strings(tree.read(project)) if project in tree else ()
    for one in () if isinstance(placed, Refusal) else placed:
        match one.place:
            case ("tool", "setuptools", "dynamic", "dependencies", *_):
                named.append(("", one.value))
            case ("tool", "setuptools", "dynamic", "optional-dependencies", str(extra), *_):
                named.append((extra, one.value))
            case ("tool", "hatch", "metadata", "hooks", "requirements_txt", *_):
                named.append(("", one.value))
            case _:
                pass
    known = {path: set[str]() for path in requirement_files(tree)}
    for extra, text in named:
        path = posixpath.normpath(posixpath.join(folder, text)) if len(text) < 200 else ""
        if path in known:
            known[path].add(extra)
    return tuple((frozenset(extras), path) for path, extras in known.items() if extras)


def in_requirements(tree: Tree, path: str, wanted: str) -> Iterator[Declaration | Refusal]:
    """Of a requirements file and those that it includes."""
    for named in in_file(tree, path):
        if named.name == wanted:
            data = tree.read(named.path)
            start = _line(data, named.line)
            at = data.find(named.spec.encode(), start)
            if at < 0 or line_of(data, at) != named.line:
                yield Refusal(f"{named.spec} is not written as such", named.path, named.line)
            else:
                yield Declaration(named.path, at, at + len(named.spec.encode()), named)


def _line(data: bytes, number: int) -> int:
    at = 0
    for _ in range(number - 1):
        at = data.find(b"\n", at) + 1
    return at


def _in_project(tree: Tree, path: str, wanted: str) -> Iterator[Declaration | Refusal]:
    if path not in tree:
        return
    data = tree.read(path)
    placed = toml.strings(data)
    declared = [one for one in in_pyproject(tree, path) if one.name == wanted]
    if isinstance(placed, Refusal):
        yield from [Refusal(placed.reason, path)] * bool(declared)
        return
    found: set[str] = set()
    for one in placed:
        extra = _extra_of(one.place)
        for named in () if extra is None else parsed(one.value, path, line_of(data, one.start), extra or ""):
            if named.name == wanted:
                found.add(named.spec)
                start = one.start + len(one.value.encode()) - len(one.value.lstrip().encode())
                extras = frozenset({extra or ""})
                yield from _at(data, path, start, named, extras, toml.shown(one.place), one.value)
    for requirement in declared:
        if requirement.spec not in found:
            yield Refusal(f"{requirement.spec} is not written as such", path)
    yield from _in_poetry(data, path, placed, wanted)


def _in_poetry(data: bytes, path: str, placed: tuple[toml.Placed, ...], wanted: str) -> Iterator[Declaration | Refusal]:
    """The version that poetry's own tables give it; its bounds are written as everybody's."""
    for one in poetry.wanted(placed):
        if normalised(one.name) == wanted:
            at, bounds = one.placed, poetry.as_bounds(one.version)
            named = Named(wanted, one.version, bounds, path, line_of(data, at.start), one.extra, bare="")
            extras, place = frozenset({one.extra}), toml.shown(at.place)
            yield from _at(data, path, at.start, named, extras, place, one.version)


def _extra_of(place: toml.Place) -> str | None:
    """None for strings that are no requirements."""
    match place:
        case ("project", "dependencies", int()) | ("build-system", "requires", int()):
            return ""
        case ("project", "optional-dependencies", str(extra), int()):
            return extra
        case ("dependency-groups", str(group), int()):
            return f"group:{group}"
        case ("tool", "uv", str(table), int()) if table in _UV:
            return "group:uv"
        case _:
            return None


def _in_setup(tree: Tree, path: str, wanted: str) -> Iterator[Declaration | Refusal]:
    if path not in tree:
        return
    data = tree.read(path)
    found = setup_py.items(data)
    if isinstance(found, Refusal):
        yield from [Refusal(found.reason, path)] * (wanted.encode() in data.lower())
        return
    for item in found:
        for named in parsed(item.text, path, item.line):
            if named.name == wanted:
                yield from _at(data, path, item.start, named, item.extras)


def _in_configuration(tree: Tree, path: str, wanted: str) -> Iterator[Declaration | Refusal]:
    if path not in tree:
        return
    data = tree.read(path)
    found = setup_cfg.requirement_lines(data)
    if isinstance(found, Refusal):
        yield from [Refusal(found.reason, path)] * (wanted.encode() in data.lower())
        return
    for line in found:
        for named in parsed(line.text, path, line_of(data, line.start), line.extra):
            if named.name == wanted:
                yield from _at(data, path, line.start, named, frozenset({line.extra}))


def _at(
    data: bytes, path: str, start: int, named: Named, extras: frozenset[str], place: str = "", text: str = ""
) -> Iterator[Declaration | Refusal]:
    """Only where the file holds the requirement as it was read."""
    end = start + len(named.spec.encode())
    if data[start:end] == named.spec.encode():
        yield Declaration(path, start, end, named, extras, place, text)
    else:
        yield Refusal(f"{named.spec} is not written as such", path, named.line)


def closure(tree: Tree, folder: str, chosen: Sequence[str]) -> frozenset[str]:
    """The chosen extras and those that they bring: `project[other]` in pyproject.toml, `%(other)s` in setup.cfg."""
    path = beside(folder, "pyproject.toml")
    table = toml.load(tree.read(path)) if path in tree else {}
    project = table.get("project") if isinstance(table, dict) else None
    own = normalised(str(project.get("name", ""))) if isinstance(project, dict) else ""
    reached, queue = {""}, list(chosen)
    while queue:
        extra = queue.pop()
        if extra not in reached:
            reached.add(extra)
            inner = [one for one in in_pyproject(tree, path) if one.extra == extra and one.name == own]
            queue += [part.strip() for one in inner for part in one.spec.partition("[")[2].partition("]")[0].split(",")]
            queue += _interpolated(tree, folder, extra)
    return frozenset(reached)


def _interpolated(tree: Tree, folder: str, extra: str) -> Iterator[str]:
    path = beside(folder, "setup.cfg")
    found = setup_cfg.requirement_lines(tree.read(path)) if path in tree else ()
    for line in () if isinstance(found, Refusal) else found:
        if line.extra == extra and (named := _INTERPOLATED.fullmatch(line.text)):
            yield named[1]
