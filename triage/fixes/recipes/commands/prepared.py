"""`name_written`: the name that the program of the tree which prepares the data gives the file that a script misses."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.recipes.commands.scripts import Script, promised, scripts_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import NameWritten

# What data is written with.
_WRITES = re.compile(rb"\b(?:to_parquet|to_json|to_csv|write_table|write_parquet|save_to_disk|json\.dump)\b")
_LEAST = 3


def name_written(recipe: NameWritten, here: Situation) -> Outcome:
    """Refused where a program writes the missing name too; words where it writes several that no script reads."""
    path = here.captures.get(recipe.path.strip("{}"), "")
    name, folder = posixpath.basename(path), posixpath.basename(posixpath.dirname(path))
    end = posixpath.splitext(name)[1]
    if not end or len(folder) < _LEAST:
        return Refusal("the log names no file in a folder of its own")
    reading = [one for one in scripts_of(here) if _named(name).search(one.text)]
    if not reading:
        return InPlace(f"no script of {here.job.id} names {name}")
    written = _written(here.tree, folder, end, reading[0].path)
    if not written:
        return Refusal(f"no program of the repository prepares `{folder}`")
    maker, names = next(iter(written.items()))
    if len({frozenset(one) for one in written.values()}) > 1 or name in names:
        return Refusal(f"{', '.join(written)}: what `{folder}` holds after it is not told")
    left = [one for one in sorted(names) if not any(_named(one).search(script.text) for script in reading)]
    if len(left) != 1:
        return Words(f"{maker} writes {', '.join(sorted(names))} into `{folder}`, and no {name}")
    edits = tuple(edit for one in reading for edit in _renamed(one, name, left[0], maker))
    if not edits:
        return Refusal(f"{name} is put together at run time", reading[0].path)
    declared = tuple(dict.fromkeys(one.declared(here) for one in reading))
    title = f"Read {left[0]}, which {posixpath.basename(maker)} writes, instead of {name}"
    because = (
        "The program that prepares this data writes no file of the missing name, and one that the script does not read."
    )
    return Edited(edits, declared, promised(here, edits), title=title, because=because)


def _written(tree: Tree, folder: str, end: str, reader: str) -> dict[str, set[str]]:
    """Programs that are called after the folder and write files of this end: those nearest to the reader."""
    literal = re.compile(rf"[\"'](?:[^\"'\s]*/)?([\w.-]+{re.escape(end)})[\"']")
    found: dict[str, set[str]] = {}
    for path in tree.paths():
        if path.endswith(".py") and re.search(rf"(?<![a-z0-9]){re.escape(folder.lower())}", path.lower()):
            data = tree.read(path)
            names = set(literal.findall(data.decode("utf-8", "replace"))) if _WRITES.search(data) else set()
            if names:
                found[path] = names
    top = f"{reader.partition('/')[0]}/"
    near = {path: names for path, names in found.items() if path.startswith(top)}
    return near or found


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^(?![ \t]*#)(?P<before>[^\n]*/){re.escape(name)}(?![\w.-])")


def _renamed(script: Script, name: str, new: str, maker: str) -> list[Edit]:
    edits: list[Edit] = []
    for match in _named(name).finditer(script.text):
        start = match.end("before")
        made = script.replace(start, start + len(name), new, why=f"{maker} writes {new} and no {name}")
        if isinstance(made, Refusal):
            return []
        edits += made
    return edits
