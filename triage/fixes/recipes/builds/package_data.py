"""Files beside the code of a package that its wheel leaves out: what setuptools is told to put in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from triage.fixes.document import eol_at
from triage.fixes.manifests import toml
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?P<package>[A-Za-z_]\w*)/(?P<below>[\w./-]{1,160}?)/?\Z")
_TABLES = re.compile(rb"(?m)^\[{1,2}(?P<name>[^\]\n]+)\]{1,2}[ \t]*(?:#[^\n]*)?\r?$")


def ship_files(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """An entry of `package-data`, where the tree has the files in the package, and its project is built by setuptools
    and says nothing of such files yet."""
    found = _INSTALLED.search(captures.get("installed", ""))
    if found is None or ".." in found["below"]:
        return Refusal("the log does not say which file of which package is not there")
    package, below = found["package"], found["below"]
    roots = {root for path in tree.paths() if (root := _root(path, f"{package}/{below}")) is not None}
    if len(roots) != 1:
        return Refusal(f"the tree has {package}/{below} at {len(roots)} places")
    root = roots.pop()
    folder = root.removesuffix("src/") if f"/{root}".endswith("/src/") else root
    path = f"{folder}pyproject.toml"
    if path not in tree or f"{root}{package}/__init__.py" not in tree:
        return Refusal(f"no pyproject.toml stands beside {package}")
    is_file = f"{root}{package}/{below}" in tree
    pattern = posixpath.join(posixpath.dirname(below), f"*{posixpath.splitext(below)[1]}") if is_file else f"{below}/**"
    return _added(tree, path, job, package, pattern)


def _root(path: str, place: str) -> str | None:
    """What stands before the place in the path of one of its files; None for other files."""
    before, found, after = f"/{path}".partition(f"/{place}")
    if not found or (after and not after.startswith("/")):
        return None
    return f"{before}/".lstrip("/")


def _added(tree: Tree, path: str, job: str, package: str, pattern: str) -> Outcome:
    data = tree.read(path)
    held = toml.load(data)
    if isinstance(held, Refusal):
        return held
    tool, system = held.get("tool"), held.get("build-system")
    own = tool.get("setuptools") if isinstance(tool, dict) else None
    backend = system.get("build-backend") if isinstance(system, dict) else ""
    if not str(backend or "setuptools").startswith("setuptools") or "project" not in held:
        return Refusal(f"it is not setuptools that builds what {path} describes", path)
    if isinstance(own, dict) and ("package-data" in own or "package_data" in own):
        return Refusal("it says already which files go in", path)
    if isinstance(own, dict) and own.get("include-package-data") is False:
        return Refusal("it says that no files go in", path)
    line = f'{package} = ["{pattern}"]'
    tables = list(_TABLES.finditer(data))
    last = max((at for at, one in enumerate(tables) if one["name"].strip().startswith(b"tool.setuptools")), default=-1)
    end = tables[last + 1].start() if 0 <= last < len(tables) - 1 else len(data)
    start = len(data[:end].rstrip())
    eol = eol_at(data, start).decode()
    text = f"{eol}{eol}[tool.setuptools.package-data]{eol}{line}"
    if start == end:
        text += eol
    edit = Edit(path, start, start, text.encode(), f"the wheel of {package} has only its code")
    title = f"Put {pattern} of {package} into its wheel"
    return Edited((edit,), (path,), (Expectation("line", line, job, path),), title=title)
