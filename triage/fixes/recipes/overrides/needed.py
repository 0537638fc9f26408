"""What a new value must come to by the log's own figures: one that leaves too little would change nothing."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import prod

from triage.fixes.numbers import whole
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.refusal import Refusal
from triage.model.recipe import EffectiveValue

# Shares of a card are written in steps of a twentieth.
_TWENTIETH = Decimal("0.05")
_SHARE = "gpu_memory_utilization"
_TWICE = "twice:"
_BYTES = (
    *(("bfloat16", 2), ("float16", 2), ("half", 2), ("float32", 4), ("float64", 8)),
    *(("int8", 1), ("float8_e4m3fn", 1), ("float8_e5m2", 1)),
)
_MOST_SIDES = 6


def as_needed(recipe: EffectiveValue, here: Situation) -> EffectiveValue | Refusal:
    """With the value that the figures ask for, where the recipe names them."""
    if recipe.room:
        return _within_room(recipe, here)
    if recipe.power_within and (most := whole(str(here.fill(recipe.power_within)))) is not None and most > 0:
        power = 1 << (most.bit_length() - 1)
        if power < (whole(recipe.at_least) or 0):
            return Refusal(f"only {most} fit, and less than {recipe.at_least} is no use")
        return replace(recipe, to=str(power), factor="", at_least="")
    if recipe.tensor and (size := _size(*(here.captures.get(text.strip("{}"), "") for text in recipe.tensor))):
        return _holding(recipe, size)
    return _large_enough(recipe, here)


def multiplied(recipe: EffectiveValue, each: Program) -> EffectiveValue | Refusal:
    """With the product of the factors as the value to write. A factor that nobody knows is not guessed."""
    product = 1
    for factor in recipe.product:
        number = whole(factor)
        knob = factor.removeprefix(_TWICE)
        number = whole(each.read(knob)) if number is None else number
        if number is None and recipe.over and each.setting_of(knob) is None and not each.read(knob):
            number = 1  # a size that nothing sets splits nothing
        if number is None or number < 0:
            return Refusal(f"the value must be a multiple of {knob}, which is not known here")
        product *= number * 2 if knob != factor and number > 1 else number
    parts = whole(recipe.over or "1") or 1
    if product % parts or (recipe.over and product <= parts):
        return Refusal(f"{product} is no multiple of {parts} that is larger")
    return replace(recipe, to=str(product // parts), product=(), over="")


def _within_room(recipe: EffectiveValue, here: Situation) -> EffectiveValue | Refusal:
    """The largest share below what is free of all that there is."""
    free, total = (decimal(str(here.fill(text))) for text in recipe.room)
    if free is None or total is None or not 0 < free < total:
        return Refusal("the log does not say how much of the card is free")
    share, least = _stepped(free / total, ROUND_FLOOR), decimal(recipe.at_least) or Decimal(0)
    if share < least:
        said = f"only {free} of {total} GiB are free, which leaves no share of {least:f} or more"
        return Refusal(f"{said}: something else holds the card")
    return replace(recipe, to=f"{share.normalize():f}", at_least="")


def _holding(recipe: EffectiveValue, size: int) -> EffectiveValue | Refusal:
    """The power of two that holds so many MiB."""
    power = 1 << (size - 1).bit_length()
    if power > (whole(recipe.at_most) or power):
        return Refusal(f"the tensor has {size} MiB, and {recipe.at_most} is the most that is set here")
    return replace(recipe, to=str(power), factor="", at_most="", at_least=str(power))


def _size(shape: str, dtype: str) -> int:
    """In MiB, of "152064, 3584" and "torch.float32"; 0 where either is not known."""
    width = next((each for name, each in _BYTES if dtype.endswith(name)), 0)
    sides = [whole(side.strip()) for side in shape.split(",")]
    if not all(sides) or len(sides) > _MOST_SIDES:
        return 0
    return -(-prod(side or 0 for side in sides) * width // (1 << 20))


def gives_too_little(recipe: EffectiveValue, here: Situation, old: str, new: str) -> Refusal | None:
    """Where the bound of the recipe keeps an engine's share from giving up what was missing of the card."""
    before, after, missing = decimal(old), decimal(new), _missing(here)
    if recipe.knob != _SHARE or not recipe.add.startswith("-") or before is None or after is None:
        return None
    if before - after >= missing:
        return None
    return Refusal(f"{missing:.0%} of the card were missing for what was asked: {old} to {new} gives up less than that")


def _large_enough(recipe: EffectiveValue, here: Situation) -> EffectiveValue:
    """An engine's share that gives up at least what was missing of the card."""
    step = decimal(recipe.add)
    if recipe.knob != _SHARE or step is None or step >= 0:
        return recipe
    return replace(recipe, add=f"-{max(-step, _stepped(_missing(here), ROUND_CEILING)).normalize():f}")


def _missing(here: Situation) -> Decimal:
    """Of what was asked for at once, as a part of the card; 0 where the log does not say."""
    memory = here.facts.memory
    if memory is None or min(memory.asked, memory.free) < 0 or memory.total <= 0:
        return Decimal(0)
    return Decimal((memory.asked - memory.free) / memory.total)


def _stepped(share: Decimal, rounding: str) -> Decimal:
    return (share / _TWENTIETH).to_integral_value(rounding) * _TWENTIETH
