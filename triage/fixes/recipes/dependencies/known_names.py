"""When a package lost a name, or got it: what the tables say of the name that a log does not find in it."""

from __future__ import annotations

from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised
from triage.model.recipe import INSTALLED, PipPin


def gone_with(recipe: PipPin, here: Situation, name: str) -> str:
    """The first release without it, as far as the listed one, where the log lists one, is no older; "" for none."""
    return next((one for one in _said(recipe, here, name, "gone") if _listed_meets(here, name, f">={one}")), "")


def since_release(recipe: PipPin, here: Situation, name: str) -> str:
    """The first release that has it, where the log lists an older one or none; "" for none."""
    return next((one for one in _said(recipe, here, name, "since") if _listed_meets(here, name, f"<{one}")), "")


def _said(recipe: PipPin, here: Situation, name: str, kind: str) -> list[str]:
    """Of the name itself, or of the module that holds it."""
    module = here.captures.get(recipe.module.strip("{}"), "")
    if recipe.spec != f"<{{{INSTALLED}}}" or not module:
        return []
    parts = [*module.split("."), *filter(None, [here.captures.get("name", "")])]
    dotted = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return [release for one in dotted if (release := _release(here, normalised(name), kind, one))]


def outgrown(here: Situation, callable_: str, argument: str) -> tuple[str, str] | None:
    """Distribution and release since which the callable no longer takes the argument, or demands it, by the reviewed
    table; None where no or several distributions have such a callable, or the log lists an older release."""
    wanted = f".{callable_.removesuffix('.__init__')}.{argument}"
    found = [
        (name, release)
        for name, kinds in here.tables.names.items()
        for dotted, release in kinds.get("gone", {}).items()
        if argument and dotted.endswith(wanted) and _listed_meets(here, name, f">={release}")
    ]
    return found[0] if len(dict(found)) == 1 else None


def _release(here: Situation, distribution: str, kind: str, dotted: str) -> str:
    """As the reviewed table has it, else the one that is read from the sources."""
    if reviewed := here.tables.names.get(distribution, {}).get(kind, {}).get(dotted, ""):
        return reviewed
    exports = here.tables.exports.get(distribution, {}).get(kind, {})
    return next((release for release, names in exports.items() if dotted in names.split()), "")


def listed_release(here: Situation, name: str) -> str:
    """As the log's list of packages has it, else as the log says elsewhere; "" for none."""
    return here.facts.installed.get(normalised(name), "") or here.facts.versions.get(name, "")


def _listed_meets(here: Situation, name: str, bound: str) -> bool:
    listed = listed_release(here, name)
    return not listed or satisfied(bound, listed)
