"""`alike_key`: what the program reads and its own configuration lacks, as the configurations like it hold it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.overrides.lighter import configuration_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import held_alike, values_alike
from triage.fixes.settings.chain import read_chain
from triage.fixes.settings.readers import readers
from triage.fixes.settings.setting import set_in_file
from triage.model.recipe import AlikeKey

_NAME = re.compile(r"[A-Za-z_]\w{2,80}\Z")
_VALUE = re.compile(r"[\w.+/-]{1,80}\Z")
# So large a share of the others must agree on the value.
_MOST = 0.6


def alike_key(recipe: AlikeKey, here: Situation) -> Outcome:
    name = here.captures.get(recipe.name.strip("{}"), "").lstrip("-").replace("-", "_")
    told = here.captures.get(recipe.value.strip("{}"), "") if recipe.value else ""
    path = configuration_of(here)
    if isinstance(path, Refusal) or not _NAME.match(name):
        return path if isinstance(path, Refusal) else Refusal("the log does not say which key it is")
    place = held_alike(here.tree, path, name)
    if not place:
        return Refusal(f"no configurations like {path} hold `{name}` in one place", path)
    chain = read_chain(here.tree, path)
    held = "" if isinstance(chain, Refusal) else chain.text(place)
    if held and (not told or held == told):
        return InPlace(f"{place} is {held} in {path}")
    values = Counter(values_alike(here.tree, path, place))
    usual, count = next(iter(values.most_common(1)), ("", 0))
    value = told if told and told in values else usual if not told and count >= _MOST * values.total() else ""
    if not _VALUE.match(value):
        return Refusal(f"configurations like {path} hold {', '.join(values) or 'nothing'} for {place}", path)
    why = f"the program reads {place}, and {count} configurations like this one have it"
    made = set_in_file(here.tree, path, place, value, job=here.target.job, why=why)
    if not isinstance(made, Edited):
        return made
    return replace(made, title=f"Set {place} to {value}", blast_radius=readers(here.tree, path))
