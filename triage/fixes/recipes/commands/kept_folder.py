"""A step of another CI system whose commands one shell runs: the folder that one of them changes to is that of all
behind it. Where these name their paths from the folder before, the one command is given its folder alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.document import line_end, line_start
from triage.fixes.recipes.commands.definitions import Place
from triage.fixes.recipes.commands.homes import is_there
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit

_ITEM = re.compile(r"(?P<dash>[ \t]*-[ \t]+)(?P<command>[^\s#].*?)[ \t]*\Z")
_ENTERS = re.compile(r"cd[ \t]+(?P<folder>[\w./-]+)[ \t]*&&[ \t]*(?P<rest>[^\n]+)\Z")
_RUNS = re.compile(
    r"(?P<set>(?:[A-Za-z_]\w*=[^\s\"';&|]*[ \t]+)*)(?P<program>python[0-9.]*)[ \t]+"
    r"(?P<file>[\w.-]+\.py)(?P<more>[^;&|]*)\Z"
)
_WORD = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.\w+")


@dataclass(frozen=True, slots=True)
class _Item:
    start: int
    dash: str
    command: str


def leave_folder(tree: Tree, target: Target, text: str, place: Place, ran: str) -> Outcome | None:
    """None where no command before the one at `place` changes to the folder that the log shows, or the path is not
    there either from the folder before."""
    data = tree.read(place.path)
    entering = [(one, hit) for one in _before(data, place.start) if (hit := _ENTERS.match(one.command))]
    if len(entering) != 1:
        return None
    ((item, found),) = entering
    folder = posixpath.normpath(found["folder"])
    if not posixpath.normpath(ran).endswith(f"/{folder}"):
        return None
    if not is_there(tree, folder) or not is_there(tree, posixpath.normpath(text)):
        return None
    if _needs(tree, data[line_end(data, item.start) : place.start], folder):
        return Refusal(f"commands behind `cd {found['folder']}` need that folder", place.path)
    new = _in_front(tree, found["rest"], folder) or f"({item.command})"
    start = item.start + len(item.dash.encode())
    why = f"one shell runs all commands of the step: they would stay in {folder}"
    edit = Edit(place.path, start, start + len(item.command.encode()), new.encode(), why)
    title = f"Come back from {folder} in {place.path}"
    return Edited((edit,), (place.path,), promised_of(tree, target.job, (edit,)), title=title)


def _before(data: bytes, at: int) -> Iterator[_Item]:
    """The items of the same list above the one at `at`, the first of them first."""
    start = line_start(data, at)
    own = _item(data, start)
    found: list[_Item] = []
    while own is not None and start > 0:
        start = line_start(data, start - 1)
        one = _item(data, start)
        if one is None and data[start : line_end(data, start)].lstrip().startswith(b"#"):
            continue
        if one is None or one.dash != own.dash:
            break
        found.append(one)
    yield from reversed(found)


def _item(data: bytes, start: int) -> _Item | None:
    """A plain scalar of one line; a quoted one, or a block, is none."""
    hit = _ITEM.match(data[start : line_end(data, start)].decode("utf-8", "replace"))
    if hit is None or hit["command"][0] in "\"'|>[{&*!" or " #" in hit["command"]:
        return None
    return _Item(start, hit["dash"], hit["command"])


def _needs(tree: Tree, behind: bytes, folder: str) -> bool:
    """Whether a command behind it names a path that is there from the new folder alone."""
    words = _WORD.findall(behind.decode("utf-8", "replace"))
    return any(is_there(tree, posixpath.join(folder, word)) and not is_there(tree, word) for word in words)


def _in_front(tree: Tree, rest: str, folder: str) -> str:
    """One Python program of the folder that nothing says needs it: the folder goes before its name. "" otherwise."""
    hit = _RUNS.match(rest)
    path = posixpath.join(folder, hit["file"]) if hit else ""
    if hit is None or path not in tree:
        return ""
    held = {posixpath.basename(one) for one in tree.paths() if one.startswith(f"{folder}/") and one != path}
    named = {*_WORD.findall(tree.read(path).decode("utf-8", "replace")), *_WORD.findall(hit["more"])}
    if held & {posixpath.basename(one) for one in named} or re.search(r"\bgetcwd\b|Path\.cwd|\"\.\"", hit["more"]):
        return ""
    return f"{hit['set']}{hit['program']} {path}{hit['more']}"
