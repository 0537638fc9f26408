"""`number_variable`: a truth value where the program reads a number out of its environment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import NumberVariable

_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,80}\Z")
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")
_ENDS = (".sh", ".bash", ".yml", ".yaml", ".slurm", ".sub", ".env", ".ini", ".toml")


def number_variable(recipe: NumberVariable, here: Situation) -> Outcome:
    name, value = (here.captures.get(one.strip("{}"), "") for one in (recipe.name, recipe.value))
    if not _NAME.match(name) or value.lower() not in (*_YES, *_NO):
        return Refusal("the log does not say which variable is no number")
    number = "1" if value.lower() in _YES else "0"
    own = {call.path for one in here.evaluation.invocations for call in one.calls if call.path in here.tree}
    every = {
        path: edits for path in _texts(here.tree) if (edits := tuple(_edits(here.tree, path, name, value, number)))
    }
    held = {path: edits for path, edits in every.items() if path in own and not is_typed(path)} or every
    if recipe.settled and recipe.settled not in held:
        return InPlace(f"{name} is {number} in {recipe.settled}")
    if not held:
        done = any(_pattern(name, number).search(_text(here.tree, path)) for path in _texts(here.tree))
        return InPlace(f"{name} is {number}") if done else Refusal(f"no file of the repository sets {name} to {value}")
    if compared := _compared(here.tree, name):
        return Words(f"{compared} compares {name} with a truth value: say {number} only to the program that counts")
    if len(held) > 1:
        return Refusal(f"several files set {name} to {value}: {', '.join(sorted(held)[:4])}")
    ((path, edits),) = held.items()
    title = f"Set {name}={number}, which its program reads as a number"
    return Edited(edits, (path,), promised(here, edits), title=title, settled=replace(recipe, settled=path))


def _pattern(name: str, value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$-]){name}[\"']?(?:=|:[ \t]*|[ \t]+)[\"']?(?P<value>{re.escape(value)})(?![\w.-])")


def _texts(tree: Tree) -> list[str]:
    return [path for path in tree.paths() if path.endswith(_ENDS) or "Dockerfile" in path or path.endswith("Makefile")]


def _text(tree: Tree, path: str) -> str:
    """A character for each byte, so that places are the same in both."""
    return tree.read(path).decode("latin-1")


def _compared(tree: Tree, name: str) -> str:
    """A file in which the words themselves count; "" for none."""
    truth = re.compile(
        rf"\b{name}(?:[\"')}}\] ][^\n]{{0,40}}?)?(?:==|!=| =) *[\"']*(?:true|false|yes|no|on|off)\b", re.I
    )
    every = (path for path in tree.paths() if path.endswith((*_ENDS, ".py")) and name.encode() in tree.read(path))
    return next((path for path in every if truth.search(_text(tree, path))), "")


def _edits(tree: Tree, path: str, name: str, value: str, number: str) -> Iterator[Edit]:
    if name.encode() not in tree.read(path):
        return
    text = _text(tree, path)
    for found in _pattern(name, value).finditer(text):
        start = found.start("value")
        if text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("#"):
            continue
        yield Edit(path, start, start + len(value.encode()), number.encode(), f"{name} is read as a number")
