"""Revisions of another repository that this one already names: in a comment beside a clone, or where others clone it.

Only texts of the tree count; a log may say which release came before, never which commit is good.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.dependencies.sources import REVISION
from triage.interfaces import Tree

_LIMIT, _AFTER, _MOST = 200_000, 8, 800
_CHECKOUT = re.compile(
    rf"(?P<comment>#\s*)?git (?:checkout|reset --hard)(?: -q)? (?P<revision>{REVISION})\s*(?:&&.*|\\)?\s*\Z"
)
_AT = re.compile(rf"@(?P<revision>{REVISION})(?=[\s\"'#;,)]|\Z)")
_PARTS = re.compile(r"v([0-9]+)\.([0-9]+)(?:\.([0-9]+))?\Z")
_DEV = re.compile(r"([0-9]+)\.([0-9]+)(?:\.([0-9]+))?\.?dev[0-9]*")
_PLACES = (".yml", ".yaml", ".sh", ".txt", ".toml", ".cfg", "setup.py", "Makefile")


@dataclass(frozen=True, slots=True)
class Known:
    """A revision and where it is named; `commented` when the line is a comment."""

    revision: str
    path: str
    line: int
    commented: bool


def named_revisions(tree: Tree, url: str) -> tuple[Known, ...]:
    """Every fixed revision of `url` ("host/owner/name") that install texts of the tree name."""
    return tuple(one for path in _paths(tree) for one in _in_file(tree, path, url))


def _paths(tree: Tree) -> list[str]:
    """Texts that install, those near the root first; of a large repository not all are read."""
    named = (path for path in tree.paths() if path.endswith(_PLACES) or "dockerfile" in path.rpartition("/")[2].lower())
    return sorted(named, key=lambda path: (not path.startswith(".github/"), path.count("/")))[:_MOST]


def _in_file(tree: Tree, path: str, url: str) -> Iterator[Known]:
    data = tree.read(path)
    if len(data) > _LIMIT or url.encode() not in data.lower():
        return
    lines = data.decode("utf-8", "replace").split("\n")
    for at, line in enumerate(lines):
        place = line.lower().find(url)
        if place < 0:
            continue
        rest = line[place + len(url) :].removeprefix(".git")
        commented = line.lstrip().startswith("#")
        if found := _AT.match(rest):
            yield Known(found["revision"], path, at + 1, commented)
        elif "clone" in line[:place] and rest[:1] in ("", " ", "\r", "/", '"', "'"):
            yield from _after_clone(lines, at, path)


def _after_clone(lines: Sequence[str], at: int, path: str) -> Iterator[Known]:
    for number, line in enumerate(lines[at + 1 : at + 1 + _AFTER], at + 2):
        if "git clone" in line:
            return
        found = _CHECKOUT.search(line.rstrip())
        if found:
            yield Known(found["revision"], path, number, bool(found["comment"]))


def nearest(known: Sequence[Known], path: str) -> tuple[Known, ...]:
    """For a Dockerfile what those beside it hold, else what other Dockerfiles do; everything where none does."""
    images = [one for one in known if is_dockerfile(one.path) and not one.commented] if is_dockerfile(path) else []
    beside = [one for one in images if posixpath.dirname(one.path) == posixpath.dirname(path)]
    return tuple(beside or images or known)


def agreed(known: Sequence[Known]) -> Known | None:
    """What most places check out; comments count only where nothing is checked out, and must agree."""
    active = [one for one in known if not one.commented]
    votes = Counter(one.revision for one in active or known)
    if not votes:
        return None
    revision, count = votes.most_common(1)[0]
    needed = votes.total() if not active else votes.total() / 2
    if (count < needed) if not active else (count <= needed):
        return None
    return next(one for one in active or known if one.revision == revision)


def release_before(tree: Tree, url: str, version: str) -> str:
    """The tag of the release before a development version, where the tree shows that the owner tags `v1.2.3`; or ""."""
    found = _DEV.match(version)
    if found is None or not _tags_with_v(tree, url.rpartition("/")[0]):
        return ""
    major, minor, patch = int(found[1]), int(found[2]), int(found[3] or 0)
    if patch:
        return f"v{major}.{minor}.{patch - 1}"
    return f"v{major}.{minor - 1}.0" if minor else ""


def _tags_with_v(tree: Tree, owner: str) -> bool:
    """Whether a repository of the owner is held by such a tag somewhere."""
    pattern = re.compile(rf"{re.escape(owner)}/([\w.-]+?)(?:\.git)?(?=[\s@\"'#]|\Z)", re.I | re.M)
    for path in _paths(tree):
        data = tree.read(path)
        if len(data) <= _LIMIT and owner.encode() in data.lower():
            names = {found[1] for found in pattern.finditer(data.decode("utf-8", "replace"))}
            known = (one for name in names for one in _in_file(tree, path, f"{owner}/{name}".lower()))
            if any(_PARTS.match(one.revision) for one in known):
                return True
    return False
