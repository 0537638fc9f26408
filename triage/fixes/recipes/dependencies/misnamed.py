"""A distribution that no index knows, where its name is one slip away from one that the tree imports and knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.declarations import Declaration
from triage.fixes.recipes.dependencies.declaring import rewritten
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.slips import in_word
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, distributions, normalised
from triage.fixes.resembling import one_apart
from triage.interfaces import Tree

_IMPORTS = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.M)
_MOST, _LARGEST = 5000, 1_000_000
# Where the job's files and projects declare a distribution.
_Held = Callable[[Situation, Sequence[Install], str], Iterator[Declaration]]
# Shorter names are too near to too many others.
_SHORTEST = 4


def respelled(
    here: Situation, done: Sequence[Install], asked: Named, listed: Sequence[str], held: _Held
) -> Outcome | None:
    """The name that is meant, at every place that the job installs from; None where nothing says which it is.

    Only where the index has no release at all, and where nothing of the tree imports what is asked for.
    """
    if [one.strip() for one in listed] != ["none"]:
        return None
    if not (meant := _meant(here, asked.name)):
        return None
    words = [(one, named, value) for one in done for named, value in one.named if named.name == asked.name]
    places = [*held(here, done, asked.name)]
    if not words and not places:
        standing = next(held(here, done, meant), None)
        named_so = any(named.name == meant for one in done for named, _ in one.named)
        return InPlace(f"it says {meant}") if standing or named_so else None
    why = f"no index has {asked.name}, and the code imports what {meant} brings"
    made: list[Outcome] = []
    for one, named, value in words:
        new = meant + named.spec[len(_bare(named)) :]
        made.append(in_word(here, one, value, value.text or "", new))
    for place in places:
        if place.named.keyed:
            return Refusal(f"it is meant to be {meant}: rename the key", place.path, place.named.line)
        named = replace(place.named, bare=meant + place.named.written[len(_bare(place.named)) :])
        made.append(rewritten(here, replace(place, named=named), place.named.pin, why))
    whole = together(made)
    return (
        replace(whole, title=f"Ask for {meant}, which is imported", because=why) if isinstance(whole, Edited) else None
    )


def _bare(named: Named) -> str:
    """The name alone, without extras."""
    return named.written.partition("[")[0].rstrip()


def _meant(here: Situation, asked: str) -> str:
    every = {name for root in _imported(here.tree) for name in distributions(root, here.tables)}
    if len(asked) < _SHORTEST or asked in every:
        return ""
    near = [one for one in every if is_slip(asked, one) and knows_distribution(here.tree, here.tables, one)]
    return near[0] if len(near) == 1 else ""


def _imported(tree: Tree) -> Iterator[str]:
    paths = [path for path in tree.paths() if path.endswith(".py")]
    for path in sorted(paths, key=lambda one: one.count("/"))[:_MOST]:
        data = tree.read(path)
        if len(data) <= _LARGEST:
            yield from (found.decode() for found in _IMPORTS.findall(data))


def is_slip(written: str, meant: str) -> bool:
    """Two neighbours that changed places, or one letter too many, too few or another, inside of the name: at its end
    stands what tells families apart, and digits tell releases apart."""
    one, other = normalised(written), normalised(meant)
    if one == other or re.sub(r"[^0-9]", "", one) != re.sub(r"[^0-9]", "", other):
        return False
    return one[0] == other[0] and one[-1] == other[-1] and one_apart(one, other)
