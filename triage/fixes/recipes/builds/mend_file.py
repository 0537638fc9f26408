"""`mend_file`: what a build reads and cannot use, in a file of the tree that the log leads to without any job."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from triage.fixes.document import eol_at, line_of, line_with, offset_of
from triage.fixes.manifests import toml
from triage.fixes.numbers import whole
from triage.fixes.python_text import parse_python, python_nodes
from triage.fixes.recipes.builds.coverage_files import cover_in_parallel
from triage.fixes.recipes.builds.entry_points import lead_to_module
from triage.fixes.recipes.builds.moved_file import open_where_it_is
from triage.fixes.recipes.builds.package_data import ship_files
from triage.fixes.recipes.builds.passed_warnings import let_pass
from triage.fixes.recipes.builds.setup_keywords import spell_keyword
from triage.fixes.recipes.builds.unlisted_packages import list_package
from triage.fixes.recipes.commands.misspelt_packages import name_package
from triage.fixes.recipes.commands.named_tests import name_test
from triage.fixes.recipes.commands.undeclared import drop_undeclared, name_extra
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import MendFile

# What a build backend's distribution is called by in `requires`, and the object that it offers, by its documentation.
_BACKENDS = {
    "setuptools": "setuptools.build_meta",
    "hatchling": "hatchling.build",
    "flit_core": "flit_core.buildapi",
    "poetry.core": "poetry.core.masonry.api",
    "poetry": "poetry.core.masonry.api",
    "pdm.backend": "pdm.backend",
    "scikit_build_core": "scikit_build_core.build",
}
# What is looked for as a text, so that nothing is left to see once it is mended.
_TEXTS = (
    *("entry-point", "extra", "misspelt-package", "moved-file", "undeclared", "package-data", "setup-keyword"),
    "test-name",
)
_ENCODED = b', encoding="utf-8"'
# How many arguments stand before the encoding, of `open` itself and of others.
_OF_OPEN, _BEFORE_ENCODING = 3, {"codecs.open": 2}
_EXTRA = ("tool", "uv", "extra-build-dependencies")
_TABLE = re.compile(rb"(?m)^\[tool\.uv\.extra-build-dependencies\][ \t]*(?:#[^\n]*)?\r?$")
_ENTRY = re.compile(
    rb"(?m)^[\"']?([\w.-]+)[\"']?[ \t]*=[ \t]*(\[[^\n]*match-runtime[ \t]*=[ \t]*true[^\n]*\])[ \t]*\r?$"
)


def mend_file(recipe: MendFile, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    made: dict[str, Callable[[Tree, str, Mapping[str, str]], Outcome]] = {
        "backend": _backend,
        "coverage": cover_in_parallel,
        "encoding": _encoding,
        "entry-point": lead_to_module,
        "extra": _extra,
        "match-runtime": _matched,
        "misspelt-package": name_package,
        "moved-file": open_where_it_is,
        "package-data": ship_files,
        "test-name": name_test,
        "setup-keyword": spell_keyword,
        "undeclared": drop_undeclared,
        "unlisted-package": list_package,
        "warning": let_pass,
    }
    found = made[recipe.fault](tree, target.job, captures)
    match found:
        case Edited() if recipe.fault in _TEXTS:
            return replace(found, settled=replace(recipe, settled=recipe.fault))
        case Refusal() if recipe.settled:
            return InPlace(found.reason)
        case _:
            return found


def _backend(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """In each pyproject.toml that names the object: no release of the distribution has it."""
    named = captures.get("backend", "")
    known = max((one for one in _BACKENDS if named == one or named.startswith(f"{one}.")), key=len, default="")
    if not known or named == _BACKENDS[known]:
        return Refusal(f"`{named}` is no misspelt object of a build backend that is known")
    new = _BACKENDS[known]
    held = [(path, one) for path in _projects(tree) for one in _backends(tree, path)]
    project = captures.get("project", "")
    held = [one for one in held if project.endswith(f"/{posixpath.dirname(one[0])}")] or held
    wrong = [(path, one) for path, one in held if one.value.partition(":")[0] == named]
    if not wrong:
        there = [path for path, one in held if one.value == new]
        return InPlace(f"{there[0]} names {new}") if there else Refusal(f"no pyproject.toml names `{named}`")
    why = f"{known} has no {named}: its object is {new}"
    edits = tuple(Edit(path, one.start, one.end, new.encode(), why) for path, one in wrong)
    declared = tuple(f"{path}:build-system.build-backend" for path, _ in wrong)
    promises = tuple(Expectation("value", f"build-system.build-backend={new}", job, path) for path, _ in wrong)
    return Edited(edits, declared, promises, title=f"Build with {new}")


def _projects(tree: Tree) -> Iterator[str]:
    return (path for path in tree.paths() if posixpath.basename(path) == "pyproject.toml")


def _backends(tree: Tree, path: str) -> list[toml.Placed]:
    found = toml.strings(tree.read(path))
    return (
        [] if isinstance(found, Refusal) else [one for one in found if one.place == ("build-system", "build-backend")]
    )


def _encoding(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """At the line of the traceback; `<string>` is the setup.py that a build's backend runs."""
    named, line = captures.get("file", ""), whole(captures.get("line")) or 0
    wanted = "setup.py" if named in ("", "<string>") else named.replace("\\", "/")
    paths = [path for path in tree.paths() if wanted == path or wanted.endswith(f"/{path}")]
    if wanted == "setup.py":
        paths = [path for path in tree.paths() if posixpath.basename(path) == "setup.py"]
    source = captures.get("source", "").strip().encode()
    named_there = [path for path in paths if not source or line in _lines_of(tree.read(path), source)]
    found = [(path, at, new) for path in named_there for at, new in _opened(tree.read(path), line)]
    # The file may have changed since: what the traceback prints of the line is there all the same.
    if not found and source:
        held = [(path, number) for path in paths for number in _lines_of(tree.read(path), source)]
        found = [(path, at, new) for path, number in held for at, new in _opened(tree.read(path), number)]
    if len(found) != 1:
        given = any(_is_given(tree.read(path), line, source) for path in paths)
        return InPlace("the file is opened with its encoding") if given else Refusal(f"no `open` stands at line {line}")
    path, at, new = found[0]
    data = tree.read(path)
    edit = Edit(path, at, at, new, "without it the machine's own encoding is taken: on Windows not that of the file")
    declared = f"{path}:utf-8" if posixpath.basename(path) == "setup.py" else path
    promise = Expectation("line", as_promised(line_with(data, at, at, new)), job, path)
    title = f"Name the encoding of what {path}:{line_of(data, at)} reads"
    return Edited((edit,), (declared,), (promise,), title=title)


def _is_given(data: bytes, line: int, source: bytes) -> bool:
    """Whether the line that the traceback means, by its number or by its text, opens its file with an encoding."""
    plain = [number for number, one in enumerate(data.split(b"\n"), 1) if one.replace(_ENCODED, b"").strip() == source]
    calls = (node for node in python_nodes(data) if isinstance(node, ast.Call) and node.lineno in (line, *plain))
    return any(keyword.arg == "encoding" for node in calls for keyword in node.keywords)


def _lines_of(data: bytes, source: bytes) -> Iterator[int]:
    return (number for number, line in enumerate(data.split(b"\n"), 1) if line.strip() == source)


def _opened(data: bytes, line: int) -> Iterator[tuple[int, bytes]]:
    """Where the last argument ends of an `open` for reading, without an encoding, that begins on the line, and what
    goes there; at the end of the call where that is no Python, as in `open(("a"))`."""
    for node in python_nodes(data):
        if isinstance(node, ast.Call) and node.lineno == line and _reads_text(node):
            given = [*node.args, *(one.value for one in node.keywords)]
            last, close = max((_end(data, one) for one in given), default=0), _end(data, node) - 1
            for at in (last, close) if given else (close,):
                new = b', encoding="utf-8"' if given else b'encoding="utf-8"'
                if not isinstance(parse_python(data[:at] + new + data[at:]), Refusal):
                    yield at, new
                    break


def _end(data: bytes, node: ast.expr) -> int:
    return offset_of(data, node.end_lineno or 1) + (node.end_col_offset or 1)


def _reads_text(node: ast.Call) -> bool:
    names = {keyword.arg for keyword in node.keywords}
    if "encoding" in names or None in names or any(isinstance(one, ast.Starred) for one in node.args):
        return False
    match node.func:
        case ast.Name(id="open") | ast.Attribute(value=ast.Name(id="io" | "codecs"), attr="open"):
            if len(node.args) > _BEFORE_ENCODING.get(ast.unparse(node.func), _OF_OPEN):
                return False
            mode = list(node.args[1:2]) or [one.value for one in node.keywords if one.arg == "mode"]
            return bool(node.args) and all(isinstance(one, ast.Constant) and one.value in ("r", "rt") for one in mode)
        case ast.Attribute(attr="read_text"):
            return not node.args
        case _:
            return False


def _extra(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """By the pyproject.toml at the root, else by the only one."""
    projects = [path for path in _projects(tree) if path == "pyproject.toml"] or list(_projects(tree))
    read = toml.load(tree.read(projects[0])) if len(projects) == 1 else Refusal("no one pyproject.toml")
    if isinstance(read, Refusal):
        return read
    project, groups = read.get("project"), read.get("dependency-groups")
    optional = project.get("optional-dependencies") if isinstance(project, dict) else None
    named = dict.fromkeys(groups if isinstance(groups, dict) else (), "--group")
    return name_extra(
        tree, job, captures, named | dict.fromkeys(optional if isinstance(optional, dict) else (), "--extra")
    )


def _matched(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """As the project has it for other packages that are built against torch."""
    package = normalised(captures.get("package", ""))
    for path in _projects(tree):
        data = tree.read(path)
        header = _TABLE.search(data)
        end = data.find(b"\n[", header.end()) if header else -1
        body = data[header.end() : end if end >= 0 else len(data)] if header else b""
        entries = list(_ENTRY.finditer(body))
        torch = [one for one in entries if re.search(rb"requirement\s*=\s*[\"']torch[\"']", one[2])]
        if header is None or not package or not torch:
            continue
        if any(normalised(one[1].decode()) == package for one in entries):
            return InPlace(f"{path} builds {package} against the torch that is installed")
        return _entry(path, data, header.end() + torch[-1].end(), torch[-1][2], package, job)
    return Refusal("no project of the tree builds another package against the torch that it installs")


def _entry(path: str, data: bytes, at: int, value: bytes, package: str, job: str) -> Outcome:
    new = eol_at(data, at) + package.encode() + b" = " + value
    at -= data[at - 1 : at] == b"\r"
    why = "an isolated build gets a torch of its own: this one need not fit the machine, nor the torch that runs"
    place = toml.shown((*_EXTRA, package))
    after = toml.strings(data[:at] + new + data[at:])
    held: Sequence[toml.Placed] = () if isinstance(after, Refusal) else after
    promises = tuple(
        Expectation("value", f"{toml.shown(one.place)}={one.value}", job, path)
        for one in held
        if one.place[: len(_EXTRA) + 1] == (*_EXTRA, package)
    )
    if not promises:
        return Refusal("the entry cannot be copied as it stands", path)
    title = f"Build {package} against the torch that is installed"
    made = Edited((Edit(path, at, at, new, why),), (f"{path}:{place}",), promises, title=title)
    return made.noting("the lock has to be renewed with it: `uv lock`")
