"""A script that climbs from its own folder to the one it works in, and climbs too far, or not far enough, since it was
moved: what it names from there lies below another folder above it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.document import line_of
from triage.fixes.recipes.commands.definitions import is_script
from triage.fixes.recipes.commands.homes import is_there
from triage.fixes.recipes.commands.said.quoting import line_state
from triage.fixes.recipes.commands.scripts import promised_of, text_of_file
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit

# `cd "$(dirname "${BASH_SOURCE[0]}")/.."`, `cd ${0%/*}/../..`, and a variable for the same.
_OWN = (
    r"(?:\$\(\s*(?:cd\s+[\"']?\$\(\s*)?dirname\b[^\n;&|]*?\)[\"']?|`dirname\b[^\n`]*`"
    r"|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\})"
)
_LEADS = r"(?:(?:cd|pushd)[ \t]+(?:--[ \t]+)?|(?:export[ \t]+)?[A-Za-z_]\w*=)"
_CLIMBS = re.compile(rf"(?m)^[ \t]*{_LEADS}[^\n;|]*?{_OWN}[\"']?(?P<up>(?:/\.\.)+)")
_WORD = re.compile(r"(?<![\w./$}{~:@=-])(?:\./)?(?P<path>[\w-]+(?:/[\w.-]+)+)")


@dataclass(frozen=True, slots=True)
class _Climb:
    """`up` is where the `/..` stand in `path`, of which there are `count`."""

    path: str
    text: str
    up: tuple[int, int]
    count: int


def climb_otherwise(tree: Tree, target: Target, missing: str, commands: Sequence[str]) -> Outcome | None:
    """None where no script that the log shows climbs so, and none or several folders above it hold the file."""
    found = [(one, rest) for one in _climbs(tree) for rest in _rests(one, missing)]
    shown = [one for one in found if any(posixpath.basename(one[0].path) in command for command in commands)]
    found = shown or found
    if len({one.path for one, _ in found}) != 1:
        return None
    climb, rest = max(found, key=lambda one: len(one[1]))
    depth = climb.path.count("/")
    holding = [count for count in range(depth + 1) if is_there(tree, posixpath.join(_base(climb.path, count), rest))]
    if len(holding) != 1 or holding[0] == climb.count or _loses(tree, climb, holding[0]):
        return None
    (count,) = holding
    start, end = (len(climb.text[:at].encode()) for at in climb.up)
    folder = _base(climb.path, count) or "the root of the repository"
    edit = Edit(climb.path, start, end, b"/.." * count, f"{rest} is below {folder}")
    title = f"Climb to {folder} at {climb.path}:{line_of(tree.read(climb.path), start)}"
    because = f"The script works in a folder above its own, and what it names from there, {rest}, is in {folder}."
    return Edited((edit,), (climb.path,), promised_of(tree, target.job, (edit,)), title=title, because=because)


def _climbs(tree: Tree) -> Iterator[_Climb]:
    """Scripts that climb at one place alone."""
    for path in tree.paths():
        text = text_of_file(tree, path) if is_script(path) and b"/.." in tree.read(path) else ""
        found = [one for one in _CLIMBS.finditer(text) if line_state(text, one.start("up")) != "#"]
        if len(found) == 1:
            yield _Climb(path, text, found[0].span("up"), found[0]["up"].count(".."))


def _rests(climb: _Climb, missing: str) -> Iterator[str]:
    """What the script names from the folder that it climbs to, and the log says is missing there."""
    base = _base(climb.path, climb.count)
    for found in _WORD.finditer(climb.text, climb.up[1]):
        whole = found["path"] if base == ".." else posixpath.join(base, found["path"])
        told = f"/{missing.lstrip('./')}" if missing.startswith("/") else ""
        if missing.removeprefix("./") == found["path"] or (told and told.endswith(f"/{whole}")):
            yield found["path"]


def _base(path: str, count: int) -> str:
    """The folder `count` above that of the script; "" is the root, and what lies above it is none of the tree."""
    folders = path.split("/")[:-1]
    return "/".join(folders[: len(folders) - count]) if count <= len(folders) else ".."


def _loses(tree: Tree, climb: _Climb, count: int) -> bool:
    """Whether something that the script names is in the old folder and would not be in the new one."""
    old, new = _base(climb.path, climb.count), _base(climb.path, count)
    for found in _WORD.finditer(climb.text, climb.up[1]):
        held = is_there(tree, posixpath.join(old, found["path"]))
        if held and not is_there(tree, posixpath.join(new, found["path"])):
            return True
    return False
