"""New values from old ones: by name, from candidates, by factor or sum, within bounds. Text in, text out."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal, InvalidOperation

from triage.fixes.numbers import whole
from triage.fixes.refusal import Refusal
from triage.model.recipe import EffectiveValue

# Why a candidate breaks the layout; "" when it does not.
Objection = Callable[[str], str]
_HUNDREDTH = Decimal("0.01")
# No count, size, time or measure that people write has more digits: sums with larger ones overflow.
_MOST_DIGITS = 40


def new_value(recipe: EffectiveValue, old: str, objection: Objection) -> str | Refusal | None:
    """The value to write; None when `old` already does what the recipe wants. `old` is "" when it is not set."""
    if _satisfied(recipe, old):
        return None
    if recipe.from_values and not any(same(old, value) for value in recipe.from_values):
        return Refusal(f"it is {old or 'not set'} here; this fix only changes {' or '.join(recipe.from_values)}")
    if recipe.to or recipe.candidates:
        return _named(recipe, old, objection)
    computed = _computed(recipe, old)
    if isinstance(computed, Refusal):
        return computed
    against = objection(computed)
    return Refusal(f"{computed} does not fit: {against}") if against else computed


def same(one: str, other: str) -> bool:
    """Equal as numbers, as booleans (`True`, `true`) or as text."""
    first, second = decimal(one), decimal(other)
    if first is not None and second is not None:
        return first == second
    return one.strip("'\"").lower() == other.strip("'\"").lower()


def decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip() if text.isascii() else "")
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= _MOST_DIGITS and len(text) < 80 else None


def _satisfied(recipe: EffectiveValue, old: str) -> bool:
    """The goal is met, or what is scaled has reached its bound, or the last candidate stands."""
    if recipe.to and same(old, recipe.to):
        return True
    if recipe.candidates and same(old, recipe.candidates[-1]):
        return True
    number, low, high = decimal(old), decimal(recipe.at_least), decimal(recipe.at_most)
    if number is None:
        return False
    if recipe.to or recipe.candidates:
        bounded = low is not None or high is not None
        return bounded and (low is None or number >= low) and (high is None or number <= high)
    if _lowers(recipe):
        return low is not None and number <= low
    return high is not None and number >= high


def _lowers(recipe: EffectiveValue) -> bool:
    factor, add = decimal(recipe.factor), decimal(recipe.add)
    return (factor is not None and factor < 1) or (factor is None and add is not None and add < 0)


def _named(recipe: EffectiveValue, old: str, objection: Objection) -> str | Refusal:
    """`to`, else the first candidate behind the present value that fits."""
    rungs = [recipe.to] if recipe.to else list(recipe.candidates)
    at = next((at for at, rung in enumerate(rungs) if same(rung, old)), -1)
    against = "there is no candidate"
    for rung in rungs[at + 1 :]:
        against = objection(rung)
        if not against:
            return rung
    return Refusal(f"no value fits: {against}")


def _computed(recipe: EffectiveValue, old: str) -> str | Refusal:
    number, factor, add = decimal(old), decimal(recipe.factor or "1"), decimal(recipe.add or "0")
    if number is None:
        return Refusal(f"the value `{old or 'not set'}` is no number, so it cannot be scaled")
    if factor is None or add is None or not (recipe.factor or recipe.add):
        return Refusal("the recipe names no new value")
    result = number * factor + add
    low, high = decimal(recipe.at_least), decimal(recipe.at_most)
    result = result if low is None else max(result, low)
    result = result if high is None else min(result, high)
    whole = number == number.to_integral_value() and "." not in old
    written = _written(result, whole=whole)
    return Refusal(f"it would stay `{old}`") if same(written, old) else written


def _written(number: Decimal, *, whole: bool) -> str:
    if whole:
        return str(int(number.to_integral_value(rounding=ROUND_FLOOR)))
    text = format(number.quantize(_HUNDREDTH), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def fitting(candidates: tuple[str, ...], number: str) -> tuple[str, ...]:
    """Those that divide the number; all where no number is given."""
    known = whole(number)
    return tuple(one for one in candidates if known is None or (whole(one) and known % (whole(one) or 1) == 0))
