"""A path from the root of a container that is not there, in a definition whose other paths say where the repository
lies in that container."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator

from triage.fixes.recipes.commands.homes import home, is_made, is_there
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.commands.torn_arguments import continue_arguments
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit

_ABSOLUTE = re.compile(rb"(?<![\w.:/~$}*-])/(?:[\w.-]+/)+[\w.-]+")
_LEAST, _LARGEST = 2, 1_000_000


def move_absolute(tree: Tree, target: Target, kind: re.Pattern[str], missing: str) -> Outcome | None:
    """None where no file of the kind names it, or none says where the repository lies."""
    wanted = re.compile(rb"(?<![\w.:/~$}*-])" + re.escape(missing.encode()) + rb"(?![\w/-])(?!\.\w)")
    found = [path for path in tree.paths() if kind.match(path) and wanted.search(_data(tree, path))]
    if torn := continue_arguments(tree, target, found, missing):
        return torn
    roots = {root for path in found for root in _roots(tree, _data(tree, path), missing)}
    if not missing.startswith("/") or not found or len(roots) != 1:
        return None
    root = roots.pop()
    rest = missing.removeprefix(f"{root}/")
    meant = home(tree, "", rest)
    if is_there(tree, rest) or is_made(tree, rest):
        return Refusal(f"the repository holds {rest}: it is the container that has not got it", found[0])
    if not meant:
        name = posixpath.basename(rest)
        return Refusal(f"the repository has not exactly one `{name}` that could be meant", found[0])
    return _named(tree, target, found, wanted, f"{root}/{meant}")


def _named(tree: Tree, target: Target, found: list[str], wanted: re.Pattern[bytes], new: str) -> Outcome:
    why = f"the repository has it at {new}"
    edits = tuple(
        Edit(path, *hit.span(), new.encode(), why) for path in found for hit in wanted.finditer(tree.read(path))
    )
    return Edited(edits, tuple(found), promised_of(tree, target.job, edits), title=f"Name {new} in {found[0]}")


def _roots(tree: Tree, data: bytes, missing: str) -> Iterator[str]:
    """The folder that most of the other paths, two at the least, have before what is a path of the tree."""
    counted: Counter[str] = Counter()
    for path in {hit[0].decode() for hit in _ABSOLUTE.finditer(data)} - {missing}:
        parts = path.strip("/").split("/")
        below = (at for at in range(1, len(parts)) if "/".join(parts[at:]) in tree)
        root = next((f"/{'/'.join(parts[:at])}" for at in below), "")
        if root and missing.startswith(f"{root}/"):
            counted[root] += 1
    most = counted.most_common(2)
    if most and most[0][1] >= _LEAST and (len(most) == 1 or most[1][1] < most[0][1]):
        yield most[0][0]


def _data(tree: Tree, path: str) -> bytes:
    data = tree.read(path)
    return data if len(data) < _LARGEST else b""
