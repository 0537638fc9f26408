"""`fit_setting`: a number that the program refuses beside another one, found by its name where it is set.

The number that scripts and configurations of the same kind have comes first; one that must divide is else lowered to
the nearest that does. Of a bound alone nobody knows how far above it is meant.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.counting import foremost
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
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


def fit_setting(recipe: FitSetting, here: Situation) -> Outcome:
    name, other, divisor, above, least, shown = (
        here.captures.get(one.strip("{}"), "")
        for one in (recipe.name, recipe.other, recipe.divisor, recipe.above, recipe.least, recipe.value)
    )
    if not _NAME.match(name.removeprefix("--")) or not (divisor or other or above or least):
        return Refusal("the log does not say which setting must be how large")
    found = [(each, key) for each in programs_of(here) if (key := _key(each, name))]
    keys = {key for _, key in found}
    if len(keys) != 1:
        return Refusal(f"no one setting of the failed commands is called {name}", here.job.path, here.job.line)
    each, key = found[0]
    old = whole(_held(each, key))
    parts = whole(divisor) or whole(_held(each, _key(each, other))) if divisor or other else 1
    low = max(whole(least) or 1, (whole(above) or 0) + 1)
    if old is None or not parts:
        return Refusal(f"what {key}{' and ' + other if other else ''} are here is not known")
    if shown and whole(shown) != old:
        return Refusal(f"{key} is {old} here, and the program says {shown}: it is worked out from other settings")
    if old % parts == 0 and old >= low:
        return InPlace(f"{key} is {old}")
    new = _chosen(here.tree, each, key, old, parts, low)
    if isinstance(new, Refusal):
        return new
    by = EffectiveValue(flag=key, to=str(new)) if key.startswith("-") else EffectiveValue(key=key, to=str(new))
    made = effective_value(by, here)
    title = f"Set {key} to {new}"
    return replace(made, title=title, settled=made.settled or by) if isinstance(made, Edited) else made


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
    return keys.pop() if len(keys) == 1 else ""


def _held(each: Program, key: str) -> str:
    if not key:
        return ""
    setting = find_setting(each.invocation, key)
    return setting.value.text or "" if setting is not None else each.default(key)


def _chosen(tree: Tree, each: Program, key: str, old: int, parts: int, low: int) -> int | Refusal:
    usual = Counter(
        number
        for text in _beside(tree, each, key)
        if (number := whole(text)) is not None and number >= low and number % parts == 0
    )
    if (most := foremost(usual)) is not None:
        return most[0]
    lowered = old - old % parts or parts
    if parts > 1 and lowered >= low:
        return lowered
    held = ", ".join(str(number) for number, _ in usual.most_common(2))
    return Refusal(f"{key} must be {low} or more; others have {held or 'no such number'}")


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
