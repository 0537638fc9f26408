"""Who else reads a configuration file: files that build on it, scripts and workflows that name it."""

from __future__ import annotations

import posixpath

from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree

_ENDS = (".yaml", ".yml", ".sh", ".bash")
_MOST = 8


def readers(tree: Tree, path: str) -> tuple[str, ...]:
    """`<file> names it too`, for files whose text holds the file's own name; cut after eight."""
    name = posixpath.basename(path).encode()
    others = (one for one in tree.paths() if one.endswith(_ENDS) and one != path and not is_typed(one))
    found = [one for one in others if name in tree.read(one)]
    more = [f"{len(found) - _MOST} more files name {path}"] if len(found) > _MOST else []
    return (*(f"{one} names {path} too" for one in found[:_MOST]), *more)
