"""`alike_key`: what the program reads and its own configuration lacks, as the configurations like it hold it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.overrides.lighter import configuration_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import others_holding, places_alike, places_of, quoted_alike, takes, values_alike
from triage.fixes.settings.chain import read_chain
from triage.fixes.settings.readers import readers
from triage.fixes.settings.setting import is_literal, set_in_file
from triage.fixes.yaml.nodes import child, entries, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.recipe import AlikeKey

_NAME = re.compile(r"[A-Za-z_]\w{2,80}(?:\.\w{1,80}){0,6}\Z")
_VALUE = re.compile(r"[\w.+/-]{1,80}\Z")
# So large a share of the others must agree on the value.
_MOST = 0.6
# The key by which a section is switched on and off, and how many others must have it off.
_SWITCH, _LEAST = "enabled", 2


def alike_key(recipe: AlikeKey, here: Situation) -> Outcome:
    name = here.captures.get(recipe.name.strip("{}"), "").lstrip("-").replace("-", "_")
    told = here.captures.get(recipe.value.strip("{}"), "") if recipe.value else ""
    path = configuration_of(here)
    if isinstance(path, Refusal) or not _NAME.match(name):
        return path if isinstance(path, Refusal) else Refusal("the log does not say which key it is")
    chain = read_chain(here.tree, path)
    places = _places(here.tree, path, name, told)
    held = {one: "" if isinstance(chain, Refusal) else chain.text(one) for one in places}
    if not held:
        return Refusal(f"no configurations like {path} hold `{name}` in one place", path)
    lacking = [one for one, text in held.items() if not text or (told and not _same(text, told))]
    if not lacking:
        place, text = next(iter(held.items()))
        return InPlace(f"{place} is {text} in {path}")
    if len(lacking) > 1:
        return Refusal(f"configurations like {path} hold `{name}` at {', '.join(lacking[:4])}", path)
    place = lacking[0]
    if off := _off_in_others(here.tree, path, place):
        return _switched_off(here, path, place, off)
    values = Counter(values_alike(here.tree, path, place)) or Counter([told] if told else [])
    usual, count = next(iter(values.most_common(1)), ("", 0))
    same = next((one for one in values if told and _same(one, told)), "")
    value = same or (usual if not told and count >= _MOST * values.total() else "")
    if not _VALUE.match(value):
        return Refusal(f"configurations like {path} hold {', '.join(values) or 'nothing'} for {place}", path)
    if is_literal(value) and quoted_alike(here.tree, path, place):
        return Refusal(f"configurations like {path} hold {value} as a text for {place}", path)
    why = f"the program reads {place}, and {count or 'other'} configurations like this one have it"
    made = set_in_file(here.tree, path, place, value, job=here.target.job, why=why)
    if not isinstance(made, Edited):
        return made
    return replace(made, title=f"Set {place} to {value}", blast_radius=readers(here.tree, path))


def _off_in_others(tree: Tree, path: str, place: str) -> str:
    """How others write the switch of the section `place` off: several have it so, and one of them holds nothing but the
    switch, so that nothing else is read of a section that is off. "" for what is no such section."""
    leaf, parts = place.rpartition(".")[2], place.split(".")
    sections = [held for _, root in others_holding(tree, path, leaf) if (held := child(root, *parts)) is not None]
    switches = [(len(list(entries(one))), text_of(child(one, _SWITCH))) for one in sections]
    off = [(size, text) for size, text in switches if text.lower() == "false"]
    alone = Counter(text for size, text in off if size == 1)
    return alone.most_common(1)[0][0] if alone and len(off) >= _LEAST else ""


def _switched_off(here: Situation, path: str, place: str, off: str) -> Outcome:
    why = f"the program reads {place}, and others that do without it switch it off"
    made = set_in_file(here.tree, path, f"{place}.{_SWITCH}", off, job=here.target.job, why=why)
    if not isinstance(made, Edited):
        return made
    because = "The program reads the section, this configuration ran without what it turns on, and others say so."
    return replace(made, title=f"Switch {place} off in {path}", because=because, blast_radius=readers(here.tree, path))


def _places(tree: Tree, path: str, name: str, told: str) -> list[str]:
    """Where the key may be meant: at its whole path, else wherever configurations like this one hold its last part."""
    *_, leaf = name.split(".")
    if leaf != name and takes(tree, path, name):
        return [name]
    found = list(places_alike(tree, path, leaf)) or [_told_place(tree, path, name, told)]
    return [one for one in found if one]


def _told_place(tree: Tree, path: str, name: str, told: str) -> str:
    """Of a key and a value that the program itself asks for: where every configuration of the same first folder holds
    both that holds them at all, be it built of other sections; "" where that is nowhere, or in a section of its own."""
    own = parse_yaml(path, tree.read(path))
    if not told or isinstance(own, Refusal):
        return ""
    held = ((root, one) for _, root in others_holding(tree, path, name) for one in places_of(root, name))
    found = {one for root, one in held if text_of(child(root, *one.split("."))) == told}
    place = found.pop() if len(found) == 1 else ""
    parent = place.rpartition(".")[0]
    return place if not parent or child(own.root, *parent.split(".")) is not None else ""


def _same(one: str, other: str) -> bool:
    """Truth values are written in two ways."""
    return one == other or (one.lower() == other.lower() and one.lower() in ("true", "false"))
