"""What a copy is called: as its source, which has another name than the command says."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.document import line_end, line_start
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.commands.homes import is_common, is_made, is_there
from triage.interfaces import Tree
from triage.model.patch import Edit

_COPIES = re.compile(rb"(?:^|[;&|(]|\bsudo|-)[ \t]*(?:cp|mv|install|rsync|ln)[ \t][^;&|]*\Z")
_LARGEST = 1_000_000


def copy_called(tree: Tree, site: Site, old: str, new: str) -> tuple[Edit, ...]:
    """The name of the copy behind the source at `site`, where it is the source's old one and nothing else names that:
    who looks for the copy does so by the name that the source has."""
    data = tree.read(site.path)
    line = line_start(data, site.start)
    if old == new or not _COPIES.search(data[line : site.start]):
        return ()
    wanted = re.compile(rb"(?<![\w.-])" + re.escape(old.encode()) + rb"(?![\w.-])")
    end = site.end + len(re.split(rb"[;&|]", data[site.end : line_end(data, site.end)], maxsplit=1)[0])
    found = list(wanted.finditer(data, site.end, end))
    elsewhere = any(not site.start <= one.start() < end for one in wanted.finditer(data))
    if len(found) != 1 or elsewhere or _names(tree, site.path, wanted):
        return ()
    return (Edit(site.path, *found[0].span(), new.encode(), f"the copy is called as {new} is"),)


def _names(tree: Tree, but: str, wanted: re.Pattern[bytes]) -> bool:
    texts = (tree.read(path) for path in tree.paths() if path != but)
    return any(len(text) < _LARGEST and wanted.search(text) for text in texts)


def may_be_copied(tree: Tree, missing: str) -> bool:
    """Whether a file that a command copies, moves or edits can be one of the repository: not what a build makes, nor a
    name that many files have in a folder that is not there."""
    path = posixpath.normpath(missing)
    folder = posixpath.dirname(path)
    if "*" in path or path.startswith("..") or is_made(tree, path.lstrip("/")):
        return False
    return bool(folder) and (not is_common(path) or is_there(tree, folder.lstrip("/")))
