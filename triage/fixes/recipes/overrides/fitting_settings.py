"""`fit_setting`: a number that the program refuses beside another one, found by its name where it is set.

The number that scripts and configurations of the same kind have comes first; one that must divide is else lowered to
the nearest that does. Of a bound alone nobody knows how far above it is meant.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from triage.fixes.counting import foremost
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.overrides.shown import programs_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import values_alike
from triage.fixes.whereabouts.naming import CONFIGURATIONS, SCRIPTS
from triage.interfaces import Tree
from triage.model.recipe import EffectiveValue, FitSetting

_NAME = re.compile(r"[A-Za-z]\w*(?:[.-]\w+)*\Z")
_TEXTS = (*SCRIPTS, *CONFIGURATIONS)
# What a program puts before a name when it has multiplied the setting.
_COUNTED = ("real_", "normalized_")
# What a message calls a setting -> what the settings are called.
_SAID = {
    "global_batch_size": ("train_batch_size", "rollout_batch_size"),
    "pp_batch_size": ("local_batch_size", "micro_batch_size"),
    "infer_tp": ("rollout.tensor_model_parallel_size", "tensor_parallel_size"),
}
_LARGEST = 10_000_000


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What the number must be: a multiple of `parts`, from `low` to `high`, a divisor of `of`; 0: nothing is said."""

    parts: int = 1
    low: int = 1
    high: int = 0
    of: int = 0

    def hold(self, number: int) -> bool:
        inside = self.low <= number and (not self.high or number <= self.high)
        return inside and number % self.parts == 0 and (not self.of or self.of % number == 0)


def fit_setting(recipe: FitSetting, here: Situation) -> Outcome:
    texts = (recipe.name, recipe.other, recipe.divisor, recipe.times, recipe.value)
    name, other, divisor, times, shown = (here.captures.get(one.strip("{}"), "") for one in texts)
    bounds = [here.captures.get(one.strip("{}"), "") for one in (recipe.above, recipe.least, recipe.most, recipe.of)]
    above, least, most, of = (whole(one) or 0 for one in bounds)
    name = name.lower().replace(" ", "_") if " " in name else name
    if not _NAME.match(name.removeprefix("--")) or not (divisor or other or any(bounds) or recipe.sum_of):
        return Refusal("the log does not say which setting must be how large")
    found = [(each, key) for each in programs_of(here) if (key := _named(each, name, whole(shown)))]
    keys = {key for _, key in found}
    if not keys and whole(divisor) and whole(shown):
        return _each_of(here, name, whole(shown) or 0, (whole(divisor) or 1) * (whole(times) or 1))
    if len(keys) != 1:
        return Refusal(f"no one setting of the failed commands is called {name}", here.job.path, here.job.line)
    each, key = found[0]
    old = whole(_held(each, key))
    parts = whole(divisor) or whole(_held(each, _key(each, other))) if divisor or other else 1
    if old is None or not parts:
        return Refusal(f"what {key}{' and ' + other if other else ''} are here is not known")
    factor = _factor(name, whole(shown) or old, old)
    if not factor:
        return Refusal(f"{key} is {old} here, and the program says {shown}: it is worked out from other settings")
    parts *= whole(times) or 1
    summed = _sum(each, recipe.sum_of)
    low = max(least or summed or 1, above + 1 if bounds[0] else 1)
    bound = _Bounds(parts // gcd(parts, factor), low, most, of)
    if bound.hold(old):
        return InPlace(f"{key} is {old}")
    new = _chosen(here.tree, each, key, old, bound)
    new = low if isinstance(new, Refusal) and summed and low == summed else new
    if isinstance(new, Refusal):
        return new
    by = EffectiveValue(flag=key, to=str(new)) if key.startswith("-") else EffectiveValue(key=key, to=str(new))
    made = effective_value(by, here)
    title = f"Set {key} to {new}"
    return replace(made, title=title, settled=made.settled or by) if isinstance(made, Edited) else made


def _each_of(here: Situation, name: str, shown: int, parts: int) -> Outcome:
    """Of several keys of one configuration that are called so, those that have the number that the program names: it
    counts each of them in the same way."""
    held = [(each, each.configuration) for each in programs_of(here) if each.file and each.configuration is not None]
    files = {each.file for each, _ in held}
    if len(files) != 1:
        return Refusal(f"no one setting of the failed commands is called {name}", here.job.path, here.job.line)
    each, configuration = held[0]
    values = {key: whole(each.default(key)) for key in sorted(configuration.keys()) if key.endswith(f".{name}")}
    wanted = [key for key, value in values.items() if value == shown]
    if not wanted or shown % parts == 0:
        return Refusal(f"no {name} is {shown} here")
    new = _chosen(here.tree, each, wanted[0], shown, _Bounds(parts))
    if isinstance(new, Refusal):
        return new
    by = [EffectiveValue(key=key, to=str(new)) for key in wanted]
    made = together([effective_value(one, here) for one in by])
    title = f"Set {' and '.join(wanted)} to {new}"
    return replace(made, title=title, settled=by[0]) if isinstance(made, Edited) else made


def _sum(each: Program, knobs: Sequence[str]) -> int:
    """0 where one of them is not known."""
    numbers = [whole(each.read(knob)) or 0 for knob in knobs]
    return sum(numbers) if all(numbers) else 0


def _factor(name: str, shown: int, old: int) -> int:
    """How often the program counts the setting: `real_train_batch_size` is the batch times what is made of each."""
    if shown == old:
        return 1
    return shown // old if name.startswith(_COUNTED) and old and shown % old == 0 else 0


def _named(each: Program, name: str, shown: int | None) -> str:
    """The setting by the program's own name for it, else by those that a program may call so in its messages."""
    bare = next((name.removeprefix(one) for one in _COUNTED if name.startswith(one)), name)
    for one in (bare, *_SAID.get(bare, ())):
        if key := _key(each, one):
            held = whole(_held(each, key))
            return key if bare == one or held == shown or (held and shown and shown % held == 0) else ""
    return ""


def _key(each: Program, name: str) -> str:
    """As the command or its configuration spells it: a flag, an override, a key; "" where several are called so."""
    if not name:
        return ""
    bare = name.lstrip("-")
    flags = (f"--{bare}", f"--{bare.replace('_', '-')}", f"--{bare.replace('-', '_')}")
    flag = next((one for one in flags if find_setting(each.invocation, one) is not None), "")
    if flag:
        return flag
    words = [word.head.partition("=")[0].lstrip("+") for word in each.invocation.program[1:] if "=" in word.head]
    known = each.configuration.keys() if each.configuration is not None else ()
    keys = {one for one in (*words, *known) if one == bare or one.endswith(f".{bare}")}
    if bare in keys:
        return bare
    given = keys & {*words}
    return keys.pop() if len(keys) == 1 else given.pop() if len(given) == 1 else ""


def _held(each: Program, key: str) -> str:
    return each.held(key) if key else ""


def _chosen(tree: Tree, each: Program, key: str, old: int, bound: _Bounds) -> int | Refusal:
    usual = Counter(
        number for text in _beside(tree, each, key) if (number := whole(text)) is not None and bound.hold(number)
    )
    if (most := foremost(usual)) is not None:
        return most[0]
    top = min(old, bound.high or old)
    nearest = next((one for one in range(top, 0, -1) if bound.hold(one)), 0) if top <= _LARGEST else 0
    nearest = nearest or (bound.parts if bound.hold(bound.parts) else 0)
    if nearest and (bound.parts > 1 or bound.high or bound.of):
        return nearest
    held = ", ".join(str(number) for number, _ in usual.most_common(2))
    return Refusal(f"{key} must be {bound.low} or more; others have {held or 'no such number'}")


def _beside(tree: Tree, each: Program, key: str) -> Iterator[str]:
    """What configurations like the program's own have, or scripts of the folder in which its command stands."""
    if each.file:
        yield from values_alike(tree, each.file, key)
    here = each.invocation.calls[-1].path if each.invocation.calls else ""
    folder = posixpath.dirname(here)
    word = re.compile(rf"(?<![\w.-])\+*{re.escape(key)}[ =]+[\"']?([0-9]+)(?![\w.])")
    for path in tree.paths() if here in tree else ():
        if path != here and posixpath.dirname(path) == folder and path.endswith(_TEXTS):
            yield from dict.fromkeys(_numbers(tree.read(path).decode("utf-8", "replace").splitlines(), word))


def _numbers(lines: Sequence[str], word: re.Pattern[str]) -> Iterator[str]:
    for line in lines:
        if not line.lstrip().startswith("#"):
            yield from word.findall(line)
