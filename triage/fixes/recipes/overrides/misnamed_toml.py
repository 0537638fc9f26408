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
) -> Outcome:
    data = here.tree.read(path)
    try:
        held = _table(tomllib.loads(data.decode()), place[:-1])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Refusal(f"it is no TOML: {error}", path)
    if recipe.settled and recipe.settled.encode() in data:
        return InPlace(f"{path} has `{recipe.settled}`")
    *parents, name = place
    if name not in held:
        return Refusal(f"{path} holds no key `{'.'.join(place)}`", path)
    section, new = table_of(data, tuple(parents)), meant(held, type(held[name]).__name__)
    option = entry_of(data, section, name) if section is not None else None
    if option is None or not new:
        return Words(f"the program takes no `{'.'.join(place)}`: rename or remove it in {path}")
    start = data.index(name.encode(), option.start)
    edit = Edit(path, start, start + len(name.encode()), new.encode(), f"the program has `{new}` and no `{name}`")
    promise = Expectation("line", as_promised(line_with(data, start, edit.end, edit.new)), here.target.job, path)
    made = Edited((edit,), (path,), (promise,), settled=replace(recipe, settled=new))
    return replace(made, title=f"Write `{new}` for `{name}` in {path}", blast_radius=readers(here.tree, path))


def _table(held: dict[str, object], place: tuple[str, ...]) -> dict[str, object]:
    for name in place:
        below = held.get(name)
        if not isinstance(below, dict):
            return {}
        held = below
    return held
