"""`fit_sizes`: the largest parallel sizes that this many GPUs can be shared out by."""

from __future__ import annotations

from math import gcd

from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.overrides.knobs import Program, program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import EffectiveValue, FitSizes

# What is kept as large as it can be comes first: fewer stages cost less than weights that do not fit.
_SIZES = ("train_tensor_parallel", "train_context_parallel", "train_pipeline_parallel")


def fit_sizes(recipe: FitSizes, here: Situation) -> Outcome:
    filled = here.fill(recipe.world)
    if isinstance(filled, Refusal):
        return filled
    world = whole(filled) or 0
    programs = [program(here.tree, one, here.tables) for one in here.concerned if one.argv and not one.substitution]
    read = [(each, sizes) for each in programs if (sizes := _sizes(each))]
    if not read or world < 1:
        return Refusal(f"no command of {here.job.id} has parallel sizes of a trainer", here.job.path, here.job.line)
    each, sizes = read[-1]
    if any(other != sizes for _, other in read):
        return Refusal("several programs have other sizes, and the log does not say which failed")
    if None in sizes.values():
        return Refusal(f"{', '.join(name for name, size in sizes.items() if size is None)} is not known here")
    wanted = _fitting({name: size or 1 for name, size in sizes.items()}, world)
    halves = [EffectiveValue(knob=name, to=str(size)) for name, size in wanted.items() if size != sizes[name]]
    if not halves:
        return Refusal(f"the sizes of `{each.invocation.command_line[:60]}` divide {world} GPUs")
    first, *others = halves
    return effective_value(EffectiveValue(knob=first.knob, to=first.to, together=tuple(others)), here)


def _sizes(each: Program) -> dict[str, int | None]:
    """Sizes that the program or its configuration sets; None for one that is set to what nobody knows."""
    found: dict[str, int | None] = {}
    for name in _SIZES:
        if each.setting_of(name) is not None or each.read(name):
            size = whole(each.read(name))
            found[name] = size if size and size > 0 else None
    return found


def _fitting(sizes: dict[str, int], world: int) -> dict[str, int]:
    fitting, left = {}, world
    for name, size in sizes.items():
        fitting[name] = gcd(size, left)
        left //= fitting[name]
    return fitting
