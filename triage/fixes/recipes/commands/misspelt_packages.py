"""A package of the repository that a script or a configuration misspells in the dotted path of what is to be loaded."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from triage.fixes.document import line_of, line_start
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import is_module_of
from triage.fixes.resembling import one_slip
from triage.interfaces import Tree
from triage.model.patch import Edit

_READ = (".sh", ".bash", ".slurm", ".sbatch", ".yaml", ".yml")
_LARGEST, _LEAST = 1_000_000, 4
_ROOTS = ("", "src/", "python/")


def name_package(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """Wherever the rest of the path leads to something in the one package of nearly that name."""
    module = captures.get("module", "")
    if not module.isidentifier() or len(module) < _LEAST or is_module_of(tree, module):
        return Refusal("the missing module is no misspelt package of the repository")
    paths = [*tree.paths()]
    held = {
        path[len(root) :].split("/")[0] for root in _ROOTS for path in paths if path.startswith(root) and "/" in path
    }
    meant = one_slip(module, sorted(held))
    found = list(_named(tree, module)) if meant else []
    if not found:
        return Refusal("no script or configuration loads anything from it by a dotted path")
    for path, start, rest in found:
        if not _leads(tree, meant, rest):
            return Refusal(f"{path}:{line_of(tree.read(path), start)} names {module}{rest}, which {meant} has not got")
    edits = tuple(
        Edit(path, start, start + len(module), meant.encode(), f"the repository has {meant}, and no {module}")
        for path, start, _ in found
    )
    first = edits[0]
    title = f"Name {meant} at {first.path}:{line_of(tree.read(first.path), first.start)}"
    because = f"What is to be loaded from {module} lies in {meant}, which differs from it by one slip."
    touched = tuple(dict.fromkeys(edit.path for edit in edits))
    return Edited(edits, touched, promised_of(tree, job, edits), title=title, because=because)


def _named(tree: Tree, module: str) -> Iterator[tuple[str, int, str]]:
    wanted = re.compile(rb"(?<![\w./-])" + re.escape(module.encode()) + rb"(?P<rest>(?:\.[A-Za-z_]\w*)+)(?![\w/.-])")
    for path in tree.paths():
        data = tree.read(path) if path.endswith(_READ) else b""
        for hit in wanted.finditer(data) if len(data) < _LARGEST else ():
            if b"#" not in data[line_start(data, hit.start()) : hit.start()]:
                yield path, hit.start(), hit["rest"].decode()


def _leads(tree: Tree, package: str, rest: str) -> bool:
    """Whether the dotted path ends at a module, or at what a module defines."""
    parts = rest.strip(".").split(".")
    whole, above = (posixpath.join(package, *one) for one in (parts, parts[:-1]))
    defines = re.compile(rb"(?m)^(?:async[ ]+)?(?:def|class)[ ]+" + re.escape(parts[-1].encode()) + rb"\b")
    for root in _ROOTS:
        if f"{root}{whole}.py" in tree or f"{root}{whole}/__init__.py" in tree:
            return True
        files = (f"{root}{above}.py", f"{root}{above}/__init__.py")
        if any(file in tree and defines.search(tree.read(file)) for file in files):
            return True
    return False
