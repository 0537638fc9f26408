"""Where a program's configuration lies: `@hydra.main` in its module, and `--config-*` on its command line."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.python_text import parse_python
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree
from triage.interfaces import Tree

_OVERRIDE = re.compile(r"(?:\+\+|\+|~)?[A-Za-z_][\w./@\-]*=|~[A-Za-z_][\w./@\-]*\Z")
_ROOTS = ("", "src/")
_PACKAGE = "pkg://"
_OPTIONS = {"--config-path": "path", "-cp": "path", "--config-name": "name", "-cn": "name", "--config-dir": "directory"}
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Entry:
    """`directory` of the primary configuration `name`; `overrides` are the command line's, holes filled with a word."""

    module_path: str
    directory: str
    name: str
    overrides: tuple[str, ...] = ()


def find_entry(tree: Tree, invocation: Invocation) -> Entry | Refusal:
    """The configuration of a Python program that is a Hydra application, else why it is none that can be read."""
    path = module_path(tree, invocation)
    if not path:
        return Refusal("the program is not a Python module of the repository")
    declared = _hydra_main(tree.read(path))
    if declared is None:
        return Refusal("no @hydra.main with constant arguments", path)
    words = [str(value) if value.known else _filled(value.head) for value in invocation.program]
    options = _options([_rooted(value) for value in invocation.program])
    relative = options.get("path", declared[0])
    name = options.get("name", declared[1]).removesuffix(".yaml")
    directory = options.get("directory", _beside(tree, path, relative, name))
    if not directory or not name:
        return Refusal("its configuration's folder or name is not known", path)
    directory = _below_the_checkout(tree, directory, name)
    return Entry(path, directory, name, tuple(word for word in words if _OVERRIDE.match(word)))


def _beside(tree: Tree, path: str, relative: str, name: str) -> str:
    """A folder as the decorator names it: from the program's own, or (`pkg://train.config`) as a package."""
    if relative.startswith(_PACKAGE):
        folder = relative.removeprefix(_PACKAGE).replace(".", "/")
        return next((f"{root}{folder}" for root in _ROOTS if f"{root}{folder}/{name}.yaml" in tree), "")
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), relative)) if relative else ""


def _below_the_checkout(tree: Tree, directory: str, name: str) -> str:
    """An absolute folder, as a log shows it, without the folders that lead to the checkout."""
    parts = directory.strip("/").split("/") if directory.startswith("/") else []
    below = ("/".join(parts[at:]) for at in range(len(parts)))
    return next((one for one in below if f"{one}/{name}.yaml" in tree), directory)


def module_path(tree: Tree, invocation: Invocation) -> str:
    """The file of the program's module or script; "" when it is none of the tree."""
    stem = invocation.module.replace(".", "/")
    if stem:
        places = [f"{root}{stem}{end}" for root in _ROOTS for end in (".py", "/__main__.py")]
    else:
        words = [value.text or "" for value in invocation.program]
        scripts = [word for word in words if word.endswith(".py")][:1]
        # Where it is not known in which folder the command runs, it is taken for the checkout's.
        own = "." if invocation.inside is not None else invocation.directory or "."
        places = [posixpath.normpath(posixpath.join(own, word)) for word in scripts]
        places += [in_tree(tree, word) for word in scripts if word.startswith("/")]
    return next((place for place in places if place in tree), "")


def _filled(head: str) -> str:
    return head + UNKNOWN


def _rooted(value: Value) -> str:
    """`$(pwd)/examples/config`: a folder below one that only the run knows is looked for below the checkout."""
    unknown = [piece for piece in value.pieces if piece.text is None]
    tail = value.pieces[-1].text or "" if value.pieces else ""
    if value.known or len(unknown) != 1 or not tail.startswith("/") or unknown[0].many:
        return str(value) if value.known else _filled(value.head)
    return value.head + tail


def _options(words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in _OPTIONS:
            found[_OPTIONS[option]] = value if equals else "".join(words[at + 1 : at + 2])
    return found


@lru_cache(maxsize=256)
def _hydra_main(source: bytes) -> tuple[str, str] | None:
    """(config_path, config_name) of the first function decorated with hydra.main; "" for what is left out."""
    module = parse_python(source)
    for node in () if isinstance(module, Refusal) else ast.walk(module):
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in ("hydra.main", "main"):
                return _argument(decorator, "config_path"), _argument(decorator, "config_name")
    return None


def _argument(call: ast.Call, name: str) -> str:
    for keyword in call.keywords:
        if keyword.arg == name and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value or "")
    return ""
