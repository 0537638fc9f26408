"""A keyword of `setup()` that setuptools does not know, so that it passes over what the project requires."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from triage.fixes.document import line_of, offset_of
from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import in_file, normalised, parsed
from triage.interfaces import Tree
from triage.model.patch import Edit

_MEANT, _LEAST = "install_requires", 0.85


def spell_keyword(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """`insatll_requires=[…]`, which names what is missing, itself or by the file that it reads."""
    wanted = normalised(captures.get("module", ""))
    paths = [path for path in tree.paths() if posixpath.basename(path) == "setup.py"]
    found = [(path, one) for path in paths for one in _misspelt(tree.read(path))]
    found = [(path, one) for path, one in found if wanted and wanted in _named(tree, path, one.value)]
    if len(found) != 1:
        return Refusal(f"no setup.py requires it by a misspelt {_MEANT}")
    path, one = found[0]
    data, old = tree.read(path), one.arg or ""
    start = offset_of(data, one.lineno) + one.col_offset
    edit = Edit(
        path, start, start + len(old.encode()), _MEANT.encode(), f"setup() takes no `{old}`, and passes over it"
    )
    title = f"Spell {_MEANT} at {path}:{line_of(data, start)}"
    because = f"What setup() is given as `{old}` is never installed."
    promises = promised_of(tree, job, (edit,))
    return Edited((edit,), (f"{path}:{_MEANT}",), promises, title=title, because=because)


def _misspelt(data: bytes) -> Iterator[ast.keyword]:
    for node in python_nodes(data):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "setup":
            names = [one.arg or "" for one in node.keywords]
            if _MEANT not in names:
                yield from (one for one in node.keywords if get_close_matches(one.arg or "", (_MEANT,), cutoff=_LEAST))


def _named(tree: Tree, path: str, value: ast.expr) -> set[str]:
    texts = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    files = [file for text in texts if (file := posixpath.join(posixpath.dirname(path), text)) in tree]
    held = {one.name for file in files for one in in_file(tree, file)}
    return held | {one.name for text in texts for one in parsed(text, path)}
