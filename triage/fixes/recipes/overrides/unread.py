"""An override of a key that the configuration lacks and no other key resembles: what the code does with it decides."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.evaluate.values import Site
from triage.fixes.hydra.config import Configuration
from triage.fixes.hydra.entry import find_entry
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.overrides.adding import add_key
from triage.fixes.recipes.overrides.hits import Hit, promise
from triage.fixes.recipes.overrides.reading import Read, as_yaml, may_read, reads_of
from triage.fixes.recipes.overrides.removing import line_without
from triage.fixes.recipes.overrides.switched_off import REMOVED
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.model.recipe import RepairOverride


def by_readers(
    recipe: RepairOverride, here: Situation, hit: Hit, configuration: Configuration, site: Site | None
) -> Outcome | Refusal:
    """Added with `+` where a script sets what the code reads, added to the configuration with the code's own default
    where a person does, removed where nothing reads it."""
    reads = reads_of(here.tree, hit.invocation, configuration, hit.key)
    typed = here.typed and (site is None or site.path == here.job.path)
    if reads and typed:
        return _declared(here, hit, reads)
    if site is None:
        return Refusal("it is put together at run time")
    if reads:
        return _added(recipe, here, hit, site, reads[0])
    other = may_read(here.tree, hit.invocation, configuration, hit.key)
    if other or typed:
        return Refusal(f"whether anything reads it is not known ({other or 'no code names it'})")
    if not _reads_others(here, hit, configuration):
        return Refusal("what reads the keys beside it is not in the tree")
    made = line_without(here, site, hit.key, "the configuration has no such key, and nothing reads it")
    if not isinstance(made, Edited):
        return made
    because = "The configuration has no such key, and no code that this program starts reads one of its name."
    return replace(made, settled=replace(recipe, settled=REMOVED), because=because)


def _reads_others(here: Situation, hit: Hit, configuration: Configuration) -> bool:
    """Whether the tree holds the code that reads the keys beside this one, which would read this one too."""
    parent = hit.key.rpartition(".")[0]
    keys = configuration.keys()
    beside = (one for one in keys if parent and one.rpartition(".")[0] == parent)
    return any(reads_of(here.tree, hit.invocation, configuration, one) for one in beside)


def _declared(here: Situation, hit: Hit, reads: list[Read]) -> Outcome:
    entry = find_entry(here.tree, hit.invocation)
    defaults = sorted({as_yaml(one.default) for one in reads})
    if isinstance(entry, Refusal):
        return entry
    path = f"{entry.directory}/{entry.name}.yaml"
    if len(defaults) != 1 or not defaults[0]:
        return Words(f"add `{hit.key}` to {path}: {reads[0].place} reads it")
    made = add_key(here, path, hit.key, defaults[0], f"{reads[0].place} reads it, with this default")
    if not isinstance(made, Edited):
        return made
    because = "The code reads the key with a default, and a configuration that lacks it lets nobody set it."
    return replace(made, title=f"Add `{hit.key}` to {path}", because=because)


def _added(recipe: RepairOverride, here: Situation, hit: Hit, site: Site, read: Read) -> Outcome:
    new = f"+{hit.key}"
    edits = replace_value(
        here.tree, site, hit.written, new, why=f"the configuration lacks it, and {read.place} reads it"
    )
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, site.path, hit.invocation.step)
    made = Edited(edits, (declared,), (promise(here, hit, site, new),), blast_radius=blast_radius(here, (site,)))
    made = replace(made, title=f"Write `{new}` for `{hit.written}`", settled=replace(recipe, key=hit.key))
    return made.noting(f"{read.place} reads it")
