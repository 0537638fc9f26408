"""`correct_target`: a class or function that a configuration names by a path at which the repository has none."""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import yaml

from triage.fixes.document import is_remark, line_of
from triage.fixes.python_text import parse_python
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.likes import in_the_like
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import CONFIGURATIONS
from triage.fixes.yaml.nodes import entries, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import CorrectTarget

_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,12}\Z")
_ALIKE = "It is gone, and the sections of other configurations that are most like this one have this."
_ENDS = (*CONFIGURATIONS, ".toml", ".json", ".sh", ".bash")
# A test's own import says less than the program's.
_TESTS = re.compile(r"(?:^|/)tests?(?:/|_)|(?:^|/)test_")
_STARRED = "*"


def correct_target(recipe: CorrectTarget, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    old = captures.get(recipe.target.strip("{}"), "")
    if not _TARGET.match(old):
        return Refusal("the log names no path of a class")
    hits = list(_hits(tree, old))
    if not hits and len(below := _below(tree, old)) == 1:  # the log names the module alone
        (old,) = below
        hits = list(_hits(tree, old))
    if not hits:
        return InPlace(f"{recipe.settled} stands there") if recipe.settled else Refusal(f"no configuration names {old}")
    if _resolves(tree, old):
        return Refusal(f"the repository has {old}: what it imports is missing, or another copy of it is installed")
    own = {path for path, _ in hits}
    new, because = _meant(tree, old, own), ""
    if isinstance(new, Words) and (alike := in_the_like(tree, old, own)) and _resolves(tree, alike):
        new, because = alike, _ALIKE
    where = f"{hits[0][0]}:{line_of(tree.read(hits[0][0]), hits[0][1])}"
    if isinstance(new, Words):
        return Words(f"{where} names {old}, which is not there: {new.text}")
    if section := _unread(tree, hits[0][0], old):
        return Words(
            f"{where} names {old}, which is {new}; but no other configuration has a section `{section}` in that place, "
            "and no program reads it: look where the configurations beside it keep what it holds"
        )
    why = f"{new.rpartition('.')[2]} is in {new.rpartition('.')[0]}"
    edits = tuple(Edit(path, at, at + len(old), new.encode(), why) for path, at in hits)
    made = _edited(recipe, tree, target.job, edits, old, new)
    return replace(made, because=because) if because and isinstance(made, Edited) else made


def _hits(tree: Tree, name: str) -> Iterator[tuple[str, int]]:
    return ((path, at) for path in tree.paths() if path.endswith(_ENDS) for at in _places(tree.read(path), name))


def _below(tree: Tree, module: str) -> set[str]:
    """What configurations take from a module of this name."""
    whole = re.compile(rb"(?<![\w./-])" + re.escape(module.encode()) + rb"\.[A-Za-z_]\w*(?![\w./-])")
    texts = (tree.read(path) for path in tree.paths() if path.endswith(CONFIGURATIONS))
    return {one[0].decode() for data in texts for one in whole.finditer(data) if not is_remark(data, one.start())}


def _edited(recipe: CorrectTarget, tree: Tree, job: str, edits: tuple[Edit, ...], old: str, new: str) -> Outcome:
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    promises = tuple(
        Expectation("line", as_promised(_line(tree.read(one.path), one.start).replace(old, new)), job, one.path)
        for one in edits
    )
    made = Edited(edits, paths, promises, title=f"Name {new}", settled=replace(recipe, settled=new))
    return replace(made, blast_radius=readers(tree, paths[0]))


def _line(data: bytes, at: int) -> str:
    end = data.find(b"\n", at)
    return data[data.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(data)].decode("utf-8", "replace").rstrip("\r")


def _places(data: bytes, name: str) -> Iterator[int]:
    whole = re.compile(rb"(?<![\w./-])" + re.escape(name.encode()) + rb"(?![\w./-])")
    return (one.start() for one in whole.finditer(data) if not is_remark(data, one.start()))


def _meant(tree: Tree, old: str, own: set[str]) -> str | Words:
    """As other configurations name it, else as the programs import it, else where it is defined."""
    owner, name, tail = _parts(old)
    told = Counter(_as_configured(tree, old, name, tail, own))
    if told:
        return told.most_common(1)[0][0] if len(told) == 1 else Words(f"others name {' and '.join(sorted(told)[:3])}")
    holding = (module for module, names in _definitions(tree).items() if name in names)
    defined = sorted({module for module in holding if _resolves(tree, f"{module}.{name}")})
    if len(defined) != 1:
        places = ", ".join(defined[:4])
        return Words(f"`{name}` is defined in {places}" if defined else f"no file defines `{name}`: what replaced it?")
    imported = [one for one in _imports(tree, name) if _resolves(tree, f"{one}.{name}") and _roots(one, owner)]
    home = defined[0].rpartition(".")[0]
    outside = Counter(one for one in imported if one != defined[0] or not home)
    module = outside.most_common(1)[0][0] if outside else _importable(tree, defined[0])
    if module and not (_roots(module, owner) or _below_root(module) == _below_root(owner)):
        return Words(f"`{name}` of this repository is in {module}, which is another package")
    return f"{module}.{name}{tail}" if module else Words(f"`{name}` is defined in {defined[0].replace('.', '/')}.py")


def _parts(target: str) -> tuple[str, str, str]:
    """Module, class or function, and what is taken from a class (`.from_pretrained`)."""
    parts = target.split(".")
    at = next((at for at, one in enumerate(parts) if at and one[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:at]), parts[at], "".join(f".{one}" for one in parts[at + 1 :])


def _roots(module: str, other: str) -> bool:
    return module.partition(".")[0] == other.partition(".")[0]


def _below_root(module: str) -> str:
    return module.partition(".")[2] or module


def _as_configured(tree: Tree, old: str, name: str, tail: str, own: set[str]) -> Iterator[str]:
    """What other configurations, and other lines of these, call a thing of this name in the same package."""
    whole = re.compile(rf"(?<![\w./-])([A-Za-z_]\w*(?:\.\w+)*\.{name}{re.escape(tail)})(?![\w./-])")
    for path in tree.paths():
        data = tree.read(path) if path.endswith(CONFIGURATIONS) else b""
        if name.encode() in data:
            text = data.decode("utf-8", "replace")
            for found in whole.finditer(text):
                if found[1] != old and _roots(found[1], old) and _resolves(tree, found[1]):
                    yield found[1]


@lru_cache(maxsize=8)
def _modules(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """By the last part of its name, each module's file; of a package, its `__init__.py`."""
    found: dict[str, list[str]] = {}
    for path in tree.paths():
        if path.endswith(".py"):
            stem = path.removesuffix(".py").removesuffix("/__init__")
            found.setdefault(posixpath.basename(stem), []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}


def _files(tree: Tree, module: str) -> Iterator[str]:
    """The files that a module may be, below whichever folder is on the path."""
    stem = module.replace(".", "/")
    for path in _modules(tree).get(stem.rpartition("/")[2], ()):
        own = path.removesuffix(".py").removesuffix("/__init__")
        if own == stem or own.endswith(f"/{stem}"):
            yield path


def _resolves(tree: Tree, target: str) -> bool:
    owner, name, _ = _parts(target)
    return any(name in names or _STARRED in names for path in _files(tree, owner) if (names := _names(tree.read(path))))


@lru_cache(maxsize=4096)
def _names(source: bytes) -> frozenset[str]:
    """What a module has by name, its imports included; `*` where it takes all of another one's."""
    module = parse_python(source)
    return frozenset() if isinstance(module, Refusal) else frozenset(_of_body(module.body))


def _of_body(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.ImportFrom() | ast.Import():
                yield from (one.asname or one.name for one in node.names)
            case ast.Assign():
                yield from (one.id for one in node.targets if isinstance(one, ast.Name))
            case ast.Try() | ast.If():
                yield from _of_body([*node.body, *node.orelse])
            case _:
                pass


@lru_cache(maxsize=4)
def _definitions(tree: Tree) -> Mapping[str, frozenset[str]]:
    """Classes and functions by the module that defines them; those of tests are left out."""
    paths = [path for path in tree.paths() if path.endswith(".py") and not _TESTS.search(path)]
    return {path.removesuffix(".py").replace("/", "."): _defined(tree.read(path)) for path in paths}


@lru_cache(maxsize=4096)
def _defined(source: bytes) -> frozenset[str]:
    return frozenset(one.decode() for one in re.findall(rb"(?m)^(?:class|def|async def) ([A-Za-z_]\w*)", source))


def _imports(tree: Tree, name: str) -> Iterator[str]:
    """The modules from which programs import the name."""
    whole = re.compile(rb"(?m)^[ \t]*from ([A-Za-z_][\w.]*) import (?:\([^)]*\b|[^\n(]*\b)" + name.encode() + rb"\b")
    for path in tree.paths():
        if path.endswith(".py") and not _TESTS.search(path) and name.encode() in tree.read(path):
            yield from (one[1].decode() for one in whole.finditer(tree.read(path)))


def _importable(tree: Tree, module: str) -> str:
    """A file's module without the folders above its package: those that hold no `__init__.py`."""
    parts = module.removesuffix(".__init__").split(".")
    for at in range(len(parts)):
        if f"{'/'.join(parts[: at + 1])}/__init__.py" in tree:
            return ".".join(parts[at:])
    return ""


def _unread(tree: Tree, path: str, old: str) -> str:
    """The section of the file's own that holds the target, where neither another configuration has it nor a program
    takes it; "" otherwise."""
    document = parse_yaml(path, tree.read(path)) if path.endswith(CONFIGURATIONS) else Refusal("no YAML")
    if isinstance(document, Refusal):
        return ""
    section = next((name for name, _, value in entries(document.root) if _holds(value, old)), "")
    if not section:
        return ""
    others = (tree.read(one) for one in tree.paths() if one.endswith(CONFIGURATIONS) and one != path)
    line = re.compile(rb"(?m)^" + re.escape(section.encode()) + rb"[ \t]*:")
    if any(line.search(one) and old.encode() not in one for one in others):
        return ""
    read = re.compile(
        rb"(?:cfg|conf|config|recipe|args|params|settings)\w*(?:\.|\[[\"']|\.get\(\s*[\"'])" + section.encode() + rb"\b"
    )
    sources = (tree.read(one) for one in tree.paths() if one.endswith(".py"))
    return "" if any(read.search(one) for one in sources) else section


def _holds(node: yaml.Node | None, text: str) -> bool:
    return text_of(node) == text or any(_holds(value, text) for _, _, value in entries(node))
