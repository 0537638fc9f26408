"""Releases that are built for one another: one that belongs to the other which the log lists is not what moved."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised


def belongs_to_listed(here: Situation, name: str) -> Words | None:
    """Words where the reviewed table says that the listed release is the one for the other that is listed."""
    listed = here.facts.installed
    own, _, build = listed.get(normalised(name), "").partition("+")
    for base, kept in here.tables.companions.items():
        release, _, other = listed.get(normalised(base), "").partition("+")
        if own and kept.get(release, {}).get(normalised(name), "") == own:
            said = f"{name} {own} is the release for {base} {release}"
            if build == other:
                return Words(f"{said}: something else moved")
            builds = f"one of them is built for {build or other}, and the other is not"
            return Words(f"{said}, but {builds}: take both from one index, and let one command decide both")
    return None
