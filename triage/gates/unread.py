"""Whether a program reads a setting of its configuration at all: no file of the repository that says so, no proof."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.python_text import parse_python
from triage.fixes.refusal import Refusal
from triage.gates.change import Change
from triage.interfaces import Tree
from triage.model.patch import Expectation

# None of them takes settings by their names out of a file; any other package may.
_PLAIN = frozenset({*sys.stdlib_module_names, "torch", "numpy", "yaml", "tqdm", "pandas", "einops", "safetensors"})
_CONFIGURATION = (".yaml", ".yml", ".json")
_MOST_FILES = 200


def unread(change: Change, promise: Expectation) -> str:
    """The program that is handed the file, and neither reads the key nor imports what may; "" where none is seen.

    Only a script of the tree whose every import is known is held against it: a framework reads what it likes.
    """
    path, place = promise.workflow_path, promise.text.partition("=")[0]
    key = re.sub(r"\[[0-9]+\]", "", place).rpartition(".")[2]
    if not path.endswith(_CONFIGURATION) or path.startswith(".") or not key.isidentifier():
        return ""
    for run in change.jobs:
        for one in () if isinstance(run.after, Refusal) else run.after.invocations:
            script = _script(change.after, one) if _is_handed(one, path) else ""
            if script and not _may_read(change.after, script, key):
                return script
    return ""


def _is_handed(one: Invocation, path: str) -> bool:
    return any((value.text or "").rpartition("=")[2].removeprefix("./") == path for value in one.argv)


def _script(tree: Tree, one: Invocation) -> str:
    words = ((value.text or "").removeprefix("./") for value in (*one.program, *one.argv))
    return next((word for word in words if word.endswith(".py") and word in tree), "")


def _may_read(tree: Tree, script: str, key: str) -> bool:
    word = re.compile(rb"\b" + re.escape(key.encode()) + rb"\b")
    seen, waiting = set[str](), [script]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        data = tree.read(path)
        module = parse_python(data)
        if len(seen) > _MOST_FILES or isinstance(module, Refusal) or word.search(data):
            return True
        imported = tuple(_imported(module))
        if path == script and not imported:
            return True  # it opens no file, so it is not what reads this one
        for name in imported:
            own = [one for one in _places(script, path, name) if one in tree]
            if not own and name.partition(".")[0] not in _PLAIN:
                return True
            waiting += own
    return False


def _imported(module: ast.Module) -> Iterator[str]:
    """Dotted names of what is imported anywhere; a relative one counts as its own parts."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield from ([base] if base else [])
            yield from (f"{base}.{one.name}".lstrip(".") for one in node.names if node.level or base not in _PLAIN)


def _places(script: str, path: str, name: str) -> Iterator[str]:
    parts = name.split(".")
    for folder in dict.fromkeys(("", "src", posixpath.dirname(script), posixpath.dirname(path))):
        for length in range(1, len(parts) + 1):
            stem = posixpath.join(folder, *parts[:length])
            yield from (f"{stem}.py", f"{stem}/__init__.py")
