"""The release at which a requirements file beside another one, or a lock made for such a file, holds a distribution."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.recipes.dependencies.fitting import hardware_of
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.requirements import in_file, naming, normalised
from triage.interfaces import Tree

_EXACT = re.compile(r"==\s*[0-9][\w.]*\Z", re.ASCII)
_LISTS = (".txt", ".in")
# There to test the oldest releases that the project allows, or the newest.
_EXTREMES = re.compile(r"(?:^|[-_./])(?:min|minimum|minimal|lowest|oldest|latest|nightly)(?=[-_./])")
# Hardware that has no platform of its own here.
_OTHERS = re.compile(r"(?:^|[-_./])(xpu|tpu|hpu|gaudi|musa|neuron|arm)(?=[-_./])")


def pin_beside(tree: Tree, path: str, name: str, spec: str) -> tuple[str, str]:
    """`==V` and the file that says so: where all siblings of the same hardware agree, else those of its very name, and
    `spec` allows the release; "" and "" otherwise."""
    found = [one for one in _pins(tree, path, normalised(name)) if satisfied(spec, one[0].removeprefix("=="))]
    named = [one for one in found if posixpath.basename(one[1]) == posixpath.basename(path)]
    for some in (found, named):
        if some and len({pin for pin, _ in some}) == 1:
            return some[0]
    return "", ""


def _pins(tree: Tree, path: str, wanted: str) -> Iterator[tuple[str, str]]:
    for other in siblings(tree, path):
        for named in naming(in_file(tree, other), (wanted,)):
            if named.path == other and _EXACT.match(named.pin):
                yield named.pin.replace(" ", ""), other


def siblings(tree: Tree, path: str) -> tuple[str, ...]:
    """Other lists of requirements for the same hardware, or for any, in the folder of `path` and below it."""
    folder, own = posixpath.dirname(path), hardware_of(path)
    below = (one for one in tree.paths() if one.startswith(f"{folder}/" if folder else "requirements"))
    lists = (one for one in below if one.endswith(_LISTS) and one != path and not _EXTREMES.search(one))
    same = (one for one in lists if not hardware_of(one) or hardware_of(one) & own)
    return tuple(one for one in same if set(_OTHERS.findall(one)) <= set(_OTHERS.findall(path)))
