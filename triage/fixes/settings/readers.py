"""Who else reads a configuration file: files that build on it, scripts and workflows that name it."""

from __future__ import annotations

import posixpath

from triage.interfaces import Tree

_ENDS = (".yaml", ".yml", ".sh", ".bash")
_MOST = 8


def readers(tree: Tree, path: str) -> tuple[str, ...]:
    """`<file> names it too`, for files whose text holds the file's own name; cut after eight."""
    name = posixpath.basename(path).encode()
    found = [one for one in tree.paths() if one.endswith(_ENDS) and one != path and name in tree.read(one)]
    more = [f"{len(found) - _MOST} more files name {path}"] if len(found) > _MOST else []
    return (*(f"{one} names {path} too" for one in found[:_MOST]), *more)
