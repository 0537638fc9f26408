"""A name that nobody defined because its import failed, and that was caught: `try: import x`, `except ImportError`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.python_text import parse_python
from triage.fixes.recipes.dependencies.importing import file_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree

_CATCHES = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))


def behind_guard(here: Situation) -> Situation | Refusal:
    """The same with `module` as the module that the undefined name was to come from: the traceback's last file says."""
    name = here.captures.get("module", "")
    frame = here.facts.frames[-1] if here.facts.frames else ""
    path = file_of(here.tree, frame) or (frame if frame in here.tree else "")
    if not path:
        return Refusal("the file that misses the name is none of the repository")
    found = list(dict.fromkeys(_modules(here.tree, path, name)))
    if len(found) != 1:
        return Refusal(f"{path} imports no `{name}` that it can do without", path)
    return replace(here, captures={**here.captures, "module": found[0]})


def _modules(tree: Tree, path: str, name: str) -> Iterator[str]:
    """First parts of the modules that a guarded import takes the name from; nothing where a handler defines it."""
    module = parse_python(tree.read(path))
    tries = [] if isinstance(module, Refusal) else [node for node in ast.walk(module) if isinstance(node, ast.Try)]
    for node in tries:
        caught = [one for one in node.handlers if _catches(one)]
        if not caught or any(_binds(each, name) for one in caught for each in one.body):
            continue
        for statement in node.body:
            yield from _of(statement, name)


def _catches(one: ast.ExceptHandler) -> bool:
    every = one.type.elts if isinstance(one.type, ast.Tuple) else [one.type]
    return any(each is None or (isinstance(each, ast.Name) and each.id in _CATCHES) for each in every)


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.alias) and _known_as(node) == name)
        or isinstance(node, ast.Raise)
        for node in ast.walk(statement)
    )


def _of(statement: ast.stmt, name: str) -> Iterator[str]:
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return
    named = [one for one in statement.names if _known_as(one) == name]
    if isinstance(statement, ast.Import):
        yield from (one.name.partition(".")[0] for one in named)
    elif named and statement.module and not statement.level:
        yield statement.module.partition(".")[0]


def _known_as(one: ast.alias) -> str:
    """The name that an import defines."""
    return one.asname or one.name.partition(".")[0]
