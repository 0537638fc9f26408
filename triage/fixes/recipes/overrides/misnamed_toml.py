"""A key of the TOML file that a program is given, which what is made of it does not take."""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Callable, Collection
from dataclasses import replace

from triage.fixes.document import line_with
from triage.fixes.manifests.ini import entry_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.types_in_toml import table_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.whereabouts.naming import in_tree
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RenameConfigKey

_ENDS = ".toml"
# What installers and tools read.
_MANIFESTS = ("pyproject.toml", "uv.toml", "ruff.toml", "Cargo.toml")

# The name that is meant, for a key beside others and with the type of its value; "" for none.
Meant = Callable[[Collection[str], str], str]


def named_toml(here: Situation) -> str:
    """The one TOML file of the repository that the job's commands name, as `@FILE` too; "" for none and for several."""
    words = [word.text or "" for one in here.concerned for word in one.argv]
    named = [word.rpartition("=")[2].lstrip("@") for word in words if word.endswith(_ENDS)]
    found = {path for one in named if (path := in_tree(here.tree, one))}
    found = {one for one in found if posixpath.basename(one) not in _MANIFESTS}
    return found.pop() if len(found) == 1 else ""


def rename_in_toml(
    recipe: RenameConfigKey,
    here: Situation,
    path: str,
    place: tuple[str, ...],
    meant: Meant,
    known: Collection[str] = (),
) -> Outcome:
    """`known`: the fields of what is made of the table, where that is known."""
    data = here.tree.read(path)
    try:
        whole = tomllib.loads(data.decode())
        place = place if len(place) > 1 or place[0] in whole else _only(whole, place[0])
        held = _table(whole, place[:-1])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Refusal(f"it is no TOML: {error}", path)
    if recipe.settled and recipe.settled.encode() in data:
        return InPlace(f"{path} has `{recipe.settled}`")
    *parents, name = place
    if name not in held:
        return Refusal(f"{path} holds no key `{'.'.join(place)}`", path)
    section, new = table_of(data, tuple(parents)), meant(held, type(held[name]).__name__)
    usual = "" if new or name in known else _of_siblings(here.tree, path, tuple(parents), name, held)
    new = new or (usual if not known or usual in known else "")
    option = entry_of(data, section, name) if section is not None else None
    if option is None or not new:
        return Words(f"the program takes no `{'.'.join(place)}`: rename or remove it in {path}")
    start = data.index(name.encode(), option.start)
    edit = Edit(path, start, start + len(name.encode()), new.encode(), f"the program has `{new}` and no `{name}`")
    promise = Expectation("line", as_promised(line_with(data, start, edit.end, edit.new)), here.target.job, path)
    made = Edited((edit,), (path,), (promise,), settled=replace(recipe, settled=new))
    return replace(made, title=f"Write `{new}` for `{name}` in {path}", blast_radius=readers(here.tree, path))


def _only(whole: dict[str, object], name: str) -> tuple[str, ...]:
    """Where the one table stands that holds the key; the root for none and several."""
    tables = [(one,) for one, value in whole.items() if isinstance(value, dict) and name in value]
    return (*tables[0], name) if len(tables) == 1 else (name,)


def _of_siblings(tree: Tree, path: str, parents: tuple[str, ...], name: str, held: dict[str, object]) -> str:
    """The one key that other configurations of the folder hold in that table and this one lacks, which begins with the
    same word and has the same type; "" for none, several, and where they hold the refused one too."""
    folder, found = posixpath.dirname(path), set[str]()
    for other in tree.paths():
        if other == path or posixpath.dirname(other) != folder or not other.endswith(_ENDS):
            continue
        try:
            table = _table(tomllib.loads(tree.read(other).decode()), parents)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
            continue
        alike = {one for one, value in table.items() if type(value) is type(held[name]) and one not in held}
        found |= (
            {one for one in alike if one.partition("_")[0] == name.partition("_")[0]} if name not in table else set()
        )
    return found.pop() if len(found) == 1 and "_" in name else ""


def _table(held: dict[str, object], place: tuple[str, ...]) -> dict[str, object]:
    for name in place:
        below = held.get(name)
        if not isinstance(below, dict):
            return {}
        held = below
    return held
