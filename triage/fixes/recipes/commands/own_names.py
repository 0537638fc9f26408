"""A file that a script names by its name alone, as one of the folder that it is run in, where it lies one folder deeper
now: with it all that moved there."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.document import line_start
from triage.fixes.recipes.commands.definitions import is_script
from triage.fixes.recipes.commands.homes import is_common, is_there
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit

_NAME = re.compile(rb"(?<![\w./~$}*=-])(?:\./)?(?P<name>[\w-]+(?:\.[\w-]+)*\.(?:py|sh|bash))(?![\w./*-])")
# But for the change to the script's own folder.
_MOVES = re.compile(
    rb"(?m)(?:^|[;&(])[ \t]*(?:pushd|popd|cd(?![ \t]+(?:--[ \t]+)?\"?\$\((?:cd[ ]+)?\"?(?:\$\()?dirname))\b"
)
_WRITES = re.compile(rb"(?:>>?|\btee(?: -a)?|\btouch|\s-[oO])[ ]*[\"']?\Z")


def of_own_script(tree: Tree, target: Target, missing: str, shown: bytes) -> Outcome | None:
    """None where no one script that ran names the file, and where several files are called so. `shown`: the commands of
    the log."""
    name = posixpath.basename(missing)
    scripts = [path for path in tree.paths() if is_script(path) and _ran_there(path, missing, shown)]
    naming = [path for path in scripts if any(one["name"] == name.encode() for one in _named(tree.read(path)))]
    if len(naming) != 1 or is_common(name) or _MOVES.search(tree.read(naming[0])):
        return None
    folder = posixpath.dirname(naming[0])
    below = [one for one in tree.paths() if one.startswith(f"{folder}/") and posixpath.basename(one) == name]
    if len(below) != 1 or posixpath.dirname(below[0]) == folder:
        return None
    return _moved(tree, target, naming[0], folder, posixpath.dirname(below[0]))


def _ran_there(path: str, missing: str, shown: bytes) -> bool:
    """Whether the log's commands run the script, by its name in its own folder; and the file was looked for there."""
    folder, name = posixpath.split(path)
    looked = posixpath.dirname(missing)
    if not folder or (looked and not f"/{looked.strip('/')}".endswith(f"/{folder}")):
        return False
    called = rb"(?<![\w./-])(?:\./)?" + re.escape(name.encode()) + rb"(?![\w./-])"
    return re.search(called, shown) is not None


def _named(data: bytes) -> list[re.Match[bytes]]:
    """Names of files outside of comments, that the script does not write."""
    return [
        one
        for one in _NAME.finditer(data)
        if b"#" not in (before := data[line_start(data, one.start()) : one.start()])
        and not _WRITES.search(before)
        and not re.match(rb"[ \t]*(?:echo|printf)\b", before)
    ]


def _moved(tree: Tree, target: Target, path: str, folder: str, now: str) -> Outcome:
    """Every file that the script names so, that is not there, and that lies in the same new folder."""
    data, edits = tree.read(path), []
    for one in _named(data):
        name = one["name"].decode()
        there = is_there(tree, posixpath.join(folder, name))
        if not there and posixpath.join(now, name) in tree:
            new = posixpath.relpath(posixpath.join(now, name), folder)
            edits.append(Edit(path, *one.span("name"), new.encode(), f"{name} is in {now}"))
    promises = promised_of(tree, target.job, edits)
    return Edited(tuple(edits), (path,), promises, title=f"Name what lies in {now} in {path}")
