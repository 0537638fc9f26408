"""Overrides of names that the class has no field for which their mapping is made into (`Key 'x' not in 'Config'`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from triage.fixes.hydra.config import Present
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.hits import (
    Hit,
    composed_without,
    hits_below,
    hits_of,
    key_of,
    once,
    promise,
    site_of,
)
from triage.fixes.recipes.overrides.misnamed_keys import rename_config_key
from triage.fixes.recipes.overrides.removing import fields_of, line_without
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.shell.edits import replace_value
from triage.model.recipe import RenameConfigKey, RepairOverride


def repair_field(recipe: RepairOverride, here: Situation, owner: str) -> Outcome:
    """The field that the name resembles, or else no override: nothing can read what the class refuses.

    What else the command adds below the same key, and the class refuses as well, is mended too: the next run would stop
    at it.
    """
    name = here.captures.get(recipe.key.strip("{}"), recipe.key)
    first = once(list(hits_of(here, name)))
    if not first and isinstance(
        made := rename_config_key(RenameConfigKey(recipe.key, owner=recipe.owner), here), Edited
    ):
        return made
    fields = fields_of(here.tree, owner)
    if isinstance(fields, Refusal):
        return fields
    if name in fields:
        return Refusal(f"`{owner}` has a field `{name}`")
    if not first:
        return InPlace(f"no command of {here.job.id} sets `{name}`")
    parent = first[0].key.rpartition(".")[0]
    refused = [hit for hit in hits_below(here, parent) if hit.key.rpartition(".")[2] not in fields]
    whole = together([_mended(here, hit, fields, owner) for hit in once(refused)])
    if not isinstance(whole, Edited):
        return whole
    because = f"`{owner}` is made of `{parent}` and has no such field: every name that is set there must be one of its."
    titled = replace(whole, because=because)
    return titled if len(refused) == 1 else replace(titled, title=f"Set only what `{owner}` has a field for")


def _mended(here: Situation, hit: Hit, fields: Collection[str], owner: str) -> Outcome:
    site = site_of(hit)
    parent, _, name = hit.key.rpartition(".")
    if site is None:
        return Words(f"`{owner}` has no `{name}`: a command of {hit.invocation.step_name} puts `{hit.key}` together")
    where = f"{site.path}:{site.line}"
    meant = resembling(name, fields)
    renamed = f"{parent}.{meant}"
    if meant and any(key_of(word.head) == renamed for word in hit.invocation.program[1:]):
        return Words(f"`{owner}` has `{meant}` and no `{name}`, and the command of {where} sets both: remove one")
    if meant:
        new = f"{_prefix(here, hit, renamed)}{renamed}"
        edits = replace_value(here.tree, site, hit.written, new, why=f"`{owner}` has `{meant}` and no `{name}`")
        if isinstance(edits, Refusal):
            return edits
        declared = declared_at(here, site.path, hit.invocation.step)
        made = Edited(edits, (declared,), (promise(here, hit, site, new),), blast_radius=blast_radius(here, (site,)))
        return replace(made, title=f"Write `{new}` for `{hit.written}`")
    if not hit.prefix:
        return Words(f"`{owner}` has no `{name}`, which the configuration itself has too ({where} sets it)")
    return line_without(here, site, hit.key, f"`{owner}` has no field `{name}`")


def _prefix(here: Situation, hit: Hit, key: str) -> str:
    """As the configuration takes the name; where that cannot be read, as it was."""
    configuration = composed_without(here, hit.invocation, hit.key)
    if isinstance(configuration, Refusal):
        return hit.prefix
    return "" if isinstance(configuration.look(key), Present) else "+"
