"""A choice of a Hydra group, or of the primary configuration, that names no file: the one file of nearly that name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, Value
from triage.fixes.hydra.config import search_places
from triage.fixes.hydra.entry import find_entry
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.shell.edits import replace_value
from triage.model.patch import Expectation
from triage.model.recipe import RepairOverride

_ENDS = (".yaml", ".yml")
_NAMES = ("--config-name", "-cn")


def repair_choice(recipe: RepairOverride, here: Situation, group: str, option: str) -> Outcome:
    """`group` is "" for the primary configuration."""
    found = [(one, *hit) for one in here.concerned for hit in _choices(one, group, option)]
    if not found:
        chosen = recipe.settled and any(_settled(one, group, recipe.settled) for one in here.concerned)
        if chosen:
            return InPlace(f"the commands choose {recipe.settled}")
        return Refusal(f"no command of {here.job.id} chooses `{option}`", here.job.path, here.job.line)
    places = {site.key: (one, site, text, name) for one, site, text, name in found}
    parts = [_renamed(recipe, here, one, site, text, name, group) for one, site, text, name in places.values()]
    whole, settled = together(parts), [part.settled for part in parts if isinstance(part, Edited)]
    return replace(whole, settled=settled[0]) if isinstance(whole, Edited) else whole


def _choices(one: Invocation, group: str, option: str) -> Iterator[tuple[Site, str, str]]:
    """Where the option stands, its text, and what it is given to."""
    for name, value in _values(one, group):
        text = value.text or ""
        if text.removesuffix(".yaml") == option.removesuffix(".yaml") and len(value.sites) == 1:
            yield value.sites[0], text, name


def _settled(one: Invocation, group: str, option: str) -> bool:
    return any(value.text == option for _, value in _values(one, group))


def _values(one: Invocation, group: str) -> Iterator[tuple[str, Value]]:
    """`group=option`, `+group@place=option`, `--config-name option`."""
    words = one.program
    for at, word in enumerate(words):
        name = word.head.partition("=")[0]
        if group and name.lstrip("+").partition("@")[0] == group:
            yield name.lstrip("+"), word.after(f"{name}=")
        elif not group and name in _NAMES:
            following = words[at + 1] if at + 1 < len(words) else Value()
            yield name, word.after(f"{name}=") if "=" in word.head else following


def _renamed(
    recipe: RepairOverride, here: Situation, one: Invocation, site: Site, text: str, key: str, group: str
) -> Outcome:
    options = _options(here, one, group)
    ending = text[len(text.removesuffix(".yaml")) :]
    new = resembling(text.removesuffix(".yaml"), (one for one in options if not one.startswith("_")))
    where = f"{site.path}:{site.line}"
    if text.removesuffix(".yaml") in options:
        return InPlace(f"the repository has `{text}`, which {where} chooses")
    if not new:
        listed = ", ".join(options[:8]) or "none"
        return Words(f"{where} chooses `{text}`{f' of {group}' if group else ''}: take one that is there ({listed})")
    edits = replace_value(here.tree, site, text, new + ending, why=f"there is {new} and no {text}")
    if isinstance(edits, Refusal):
        return edits
    name = one.module or (one.program[0].text or "")
    where_to = (here.target.job, here.target.workflow_path)
    promise = Expectation("setting", f"{key}={new}{ending}", *where_to, name, one.step)
    made = Edited(edits, (declared_at(here, site.path, one.step),), (promise,), title=f"Choose {new} instead of {text}")
    radius = blast_radius(here, (site,))
    return replace(made, blast_radius=radius, settled=replace(recipe, settled=new + ending))


def _options(here: Situation, one: Invocation, group: str) -> Sequence[str]:
    """Files of the group's folder in the program's configuration, without their ending."""
    entry = find_entry(here.tree, one)
    if isinstance(entry, Refusal):
        return ()
    places = search_places(here.tree, entry) or (entry.directory,)
    folders = {posixpath.normpath(posixpath.join(place, group)) for place in places}
    files = [path for path in here.tree.paths() if posixpath.dirname(path) in folders and path.endswith(_ENDS)]
    return sorted({posixpath.basename(path).rpartition(".")[0] for path in files} - {""})
