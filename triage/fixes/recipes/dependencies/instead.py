"""What is wrong instead of a release: a newest commit that moved before it, or a package in the place of another."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.recipes.dependencies.sourcing import hold_source
from triage.fixes.recipes.held import is_name
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import distributions
from triage.model.diagnosis import Platform
from triage.model.recipe import PipPin

# Distributions whose module another one provides for some hardware: installing the first hides the second.
_VARIANTS = {("triton", Platform.NPU): "triton-ascend"}


def other_cause(recipe: PipPin, here: Situation, name: str) -> Outcome | None:
    """A package that is built from its newest commit moved before any release did, be it this one or what calls it; and
    a package may stand in the place of another one that the hardware wants."""
    variant = _VARIANTS.get((name, here.facts.platform), "")
    if variant:
        return Words(
            f"{name} stands in the place of {variant}, which holds the same module for this hardware: run "
            f"`pip uninstall -y {name}` and install {variant} last, or have the image hold it"
        )
    caller = here.captures.get(recipe.other.strip("{}"), "") if recipe.other else ""
    modules = dict.fromkeys(module for module in (caller, *here.facts.packages) if is_name(module))
    callers = (one for module in modules for one in distributions(module, here.tables))
    for one in dict.fromkeys((name, *callers)):
        sourced = hold_source(here, one)
        if isinstance(sourced, Edited) and one != name:
            return replace(sourced, settled=sourced.settled or PipPin(one, recipe.spec))
        if sourced is not None and (one == name or not isinstance(sourced, InPlace)):
            return sourced
    return None
