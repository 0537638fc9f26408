"""`turn_off`: a switch that the program asks to be turned off, where its own settings turn it on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.overrides.shown import programs_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import EffectiveValue, TurnOff

_NAME = re.compile(r"[a-z]\w*_\w+\Z")
_OFF = {"true": "false", "True": "False"}


def turn_off(recipe: TurnOff, here: Situation) -> Outcome:
    name = here.captures.get(recipe.name.strip("{}"), "").lstrip("-").replace("-", "_")
    if not _NAME.match(name):
        return Refusal("the log does not say which switch it is")
    held = {key: text for each in programs_of(here) for key, text in _called(each, name)}
    on = [key for key, text in held.items() if text in _OFF]
    if not on and held and all(text in _OFF.values() for text in held.values()):
        return InPlace(f"{', '.join(held)} is off")
    if len(on) != 1:
        return Refusal(f"no one switch of the failed commands is called {name} and on", here.job.path, here.job.line)
    key = on[0]
    made = effective_value(EffectiveValue(key=key, to=_OFF[held[key]]), here)
    return replace(made, title=f"Turn {key} off") if isinstance(made, Edited) else made


def _called(each: Program, name: str) -> Iterator[tuple[str, str]]:
    """The settings of the command, and of the configuration behind it, whose last part is the name or ends in it."""
    words = [word.head.partition("=")[0].lstrip("+") for word in each.invocation.program[1:] if "=" in word.head]
    known = each.configuration.keys() if each.configuration is not None else ()
    for key in dict.fromkeys((*words, *known)):
        leaf = key.rpartition(".")[2]
        if leaf == name or leaf.endswith(f"_{name}"):
            yield key, each.held(key)
