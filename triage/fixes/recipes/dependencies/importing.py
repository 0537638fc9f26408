"""Files of the repository's own packages, and what they import whatever happens."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.python_text import parse_python
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree

_ROOTS = ("src", "python", "lib")


def file_of(tree: Tree, path: str) -> str:
    """The longest end of a path of the log that is a file of the tree, below some folder."""
    parts = path.replace("\\", "/").strip("/").split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts) - 1))
    every = (place for end in ends for place in (end, *(f"{root}/{end}" for root in _ROOTS)))
    return next((place for place in every if place in tree), "")


def last_of(tree: Tree, frames: Sequence[str]) -> str:
    """The file of the tree that a traceback passes last, also a script at the root, which it names without a folder
    where that was started there; "" for none."""
    every = (file_of(tree, one) or (one if "/" not in one and one in tree else "") for one in reversed(frames))
    return next(filter(None, every), "")


def package_of(tree: Tree, path: str) -> tuple[str, str]:
    """The outermost package that holds the file, and the folder of its project; "" for none."""
    package = posixpath.dirname(path)
    while (above := _package_above(tree, package)) != package:
        package = above
    folder = _project_of(tree, package)
    outer = package
    while not folder and "/" in outer:  # beyond any number of folders without a first file
        outer = posixpath.dirname(outer)
        folder = _project_of(tree, outer)
    return (outer if folder else package), folder


def _project_of(tree: Tree, package: str) -> str:
    """The folder of the project that a package at the top of it belongs to; "" for none."""
    above = posixpath.dirname(package) or "."
    folders = [above, *([posixpath.dirname(above) or "."] if posixpath.basename(above) in _ROOTS else [])]
    built = (one for one in folders if any(beside(one, name) in tree for name in ("pyproject.toml", "setup.py")))
    return next(built, "") if f"{package}/__init__.py" in tree else ""


def _package_above(tree: Tree, folder: str) -> str:
    """The next package above, also beyond one folder without a first file of its own; the folder itself for none."""
    above = posixpath.dirname(folder)
    each = (one for one in (above, posixpath.dirname(above)) if one)
    return next((one for one in each if f"{one}/__init__.py" in tree), folder)


def imports(tree: Tree, path: str) -> Iterator[tuple[str, int]]:
    """First parts of the modules that the file imports whatever happens, with their lines."""
    for node in statements(tree, path):
        if isinstance(node, ast.Import):
            yield from ((one.name.partition(".")[0], node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0], node.lineno


def statements(tree: Tree, path: str) -> list[ast.stmt]:
    module = parse_python(tree.read(path))
    return [] if isinstance(module, Refusal) else module.body


def uses(tree: Tree, folder: str, module: str) -> bool:
    """Whether a package of the project in `folder` imports the module anywhere, also in a function."""
    root = re.escape(module.partition(".")[0].encode())
    wanted = re.compile(rb"^[ \t]*(?:import|from)[ \t]+" + root + rb"(?![\w])", re.M)
    every = (path for path in tree.paths() if path.endswith(".py"))
    own = (path for path in every if package_of(tree, path)[1] == folder and "tests" not in path.split("/"))
    return any(wanted.search(tree.read(path)) for path in own)
