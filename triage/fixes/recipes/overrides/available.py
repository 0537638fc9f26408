"""`choose_value`: what a configuration or a command asks for and the program does not have, by what it says it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_start
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.overrides.misspelt_names import correct_name
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.settings.named import named_file
from triage.fixes.whereabouts.naming import CONFIGURATIONS, named_files
from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import ChooseValue

_WORD = re.compile(r"[A-Za-z0-9][\w.+-]{0,80}\Z")
_ENDS = (".yml", ".yaml", ".sh", ".bash", ".toml", ".json")
_LEAST_PART = 4
# Lines and files that say what is fetched or installed: no word of a log gets there.
_FETCHES = re.compile(rb"\b(?:install|add|sync|uses|image|FROM|pull|clone|curl|wget|npx|uvx)\b")
_LISTS = re.compile(
    r"(?:.*/)?(?:pyproject\.toml|package\.json|[\w.-]*lock[\w.-]*|[\w.-]*env(?:ironment)?[\w.-]*\.ya?ml)\Z"
)
_VALUE = re.compile(rb"(?:[=:][ \t]*|--?[\w-]+[ \t]+)[\"']?\Z")


def choose_value(recipe: ChooseValue, here: Situation) -> Outcome:
    if not recipe.choices:
        return correct_name(recipe, here)
    value, listed = (here.captures.get(one.strip("{}"), "") for one in (recipe.value, recipe.choices))
    choices = [one for one in re.split(r"[,\s'\"|]+|<[\w.]+: ", listed) if _WORD.match(one) and one != value]
    only = choices[0] if len(choices) == 1 and "," not in listed else ""
    new = recipe.settled or only or _meant(value, choices)
    if not _WORD.match(value) or not new or new not in choices:
        return Refusal(f"none of {', '.join(choices[:6]) or 'the choices'} is told by `{value}`")
    named = {path for one in here.concerned if one.argv and (path := named_file(here.tree, one))}
    own = {call.path for one in here.concerned for call in one.calls if not is_typed(call.path)}
    named |= set(named_files(here.tree, " ".join(here.lines), CONFIGURATIONS))
    if recipe.settled and any(new.encode() in here.tree.read(path) for path in named | own if path in here.tree):
        return InPlace(f"{new} stands there")
    for paths in (named, own, {path for path in here.tree.paths() if path.endswith(_ENDS)}):
        found = [edit for path in sorted(paths) for edit in _edits(here.tree, path, value, new)]
        if fetched := next((edit for edit in found if _is_fetched(here.tree, edit)), None):
            return Refusal(f"`{value}` names what is fetched in {fetched.path}")
        if paths is not named and paths is not own:
            found = [edit for edit in found if _VALUE.search(_before(here.tree.read(edit.path), edit.start))]
        if len(found) > 1:
            places = ", ".join(dict.fromkeys(edit.path for edit in found))
            return Refusal(f"`{value}` stands at several places: {places[:200]}")
        if found:
            title = f"Ask for {new} instead of {value}"
            made = Edited((found[0],), (found[0].path,), promised(here, found), title=title)
            return replace(made, settled=replace(recipe, settled=new))
    return InPlace(f"{new} stands there") if recipe.settled else Refusal(f"no file of the repository asks for {value}")


def _meant(value: str, choices: Sequence[str]) -> str:
    """The longest choice that the value ends or begins with, else the one that is spelled nearly alike."""
    long = [one for one in choices if len(one) >= _LEAST_PART]
    ends = [one for one in long if value.endswith((f"_{one}", f"-{one}")) or value.startswith((f"{one}_", f"{one}-"))]
    longest = sorted(ends, key=len)[-1:]
    return longest[0] if longest else resembling(value, choices)


def _before(data: bytes, at: int) -> bytes:
    """The line as far as that byte."""
    return data[line_start(data, at) : at]


def _is_fetched(tree: Tree, edit: Edit) -> bool:
    return bool(_LISTS.match(edit.path) or _FETCHES.search(_before(tree.read(edit.path), edit.start)))


def _edits(tree: Tree, path: str, value: str, new: str) -> list[Edit]:
    data = tree.read(path) if path in tree else b""
    whole = re.compile(rb"(?<![\w./-])" + re.escape(value.encode()) + rb"(?![\w./-])")
    found = (one for one in whole.finditer(data) if not _before(data, one.start()).lstrip().startswith(b"#"))
    return [Edit(path, one.start(), one.end(), new.encode(), f"the program has {new}") for one in found]
