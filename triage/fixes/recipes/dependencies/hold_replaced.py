"""`hold_replaced`: a later install of the job moved a distribution away from the release that others are built for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.moving import named_by_job
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.outcome import Edited, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.model.diagnosis import Replaced
from triage.model.recipe import HoldReplaced, PipPin

_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}(?:\.post[0-9]+)?", re.ASCII)


def hold_replaced(recipe: HoldReplaced, here: Situation) -> Outcome:
    name = normalised(recipe.distribution)
    moved = next((one for one in here.facts.replaced if one.name == name), None)
    if moved is None:
        return Refusal(f"the log does not show that an install of the job moved {name}")
    old = moved.old.partition("+")[0]
    said = f"the job has {name} {moved.old}, and a later install moved it to {moved.new}"
    if not _RELEASE.fullmatch(old):
        return Words(f"{said}: keep it at the one that was there")
    done = installs(here.evaluation.invocations)
    if moved.by:
        return _drawn_in(here, moved, old, said)
    free = [one for one in named_by_job(here, done, name) if "==" not in one.pin]
    if not free:
        return Words(f"{said}: hold {name}=={old} in that install too")
    pins = [PipPin(name, f"=={old}"), *_beside(here, done, name, old)]
    made = _as_one(together([pip_pin(one, here) for one in pins]), pins)
    return _noted(made, said, f"Keep {name} at {old}", pins[0])


def _as_one(made: Outcome, pins: Sequence[PipPin]) -> Outcome:
    """With each command promised as all of the pins leave it."""
    if not isinstance(made, Edited):
        return made
    wanted = {one.distribution: f"{one.distribution}{one.spec}" for one in pins}
    promises = (
        replace(one, text=" ".join(wanted.get(word, word) for word in one.text.split(" ")))
        if one.kind == "command"
        else one
        for one in made.expectations
    )
    return replace(made, expectations=tuple(dict.fromkeys(promises)))


def _drawn_in(here: Situation, moved: Replaced, old: str, said: str) -> Outcome:
    """What drew it in, at the release for the one that was there: as it was itself, else by the reviewed table."""
    by, _, held = moved.by.partition("==")
    own = next((one.old for one in here.facts.replaced if one.name == normalised(by)), "").partition("+")[0]
    table = here.tables.companions.get(moved.name, {}).get(old, {}).get(normalised(by), "")
    if (own and table and own != table) or not _RELEASE.fullmatch(wanted := own or table):
        return Words(f"{said}, because {moved.by} asks for it: take the {by} that is built for {moved.name} {old}")
    pin = PipPin(by, f"=={wanted}", from_spec=f"=={held}")
    made = pip_pin(pin, here)
    settled = replace(pin, only_named=True)
    return _noted(made, f"{said}, because {moved.by} asks for it", f"Keep {moved.name} at {old}: hold {by}", settled)


def _beside(here: Situation, done: Sequence[Install], name: str, old: str) -> Iterator[PipPin]:
    """What the same commands name without a bound and the reviewed table, or the log, has for that release."""
    table = here.tables.companions.get(name, {})
    family = {companion for each in table.values() for companion in each}
    before = {one.name: one.old for one in here.facts.replaced}
    together_with = [one for one in done if any(named.name == name and not named.pin for named, _ in one.named)]
    for other in dict.fromkeys(named.name for one in together_with for named, _ in one.named if not named.pin):
        there = before.get(other, here.facts.installed.get(other, "")).partition("+")[0]
        release = table.get(old, {}).get(other, "") or there
        if other in family and _RELEASE.fullmatch(release):
            yield PipPin(other, f"=={release}")


def _noted(made: Outcome, said: str, title: str, settled: PipPin) -> Outcome:
    if not isinstance(made, Edited):
        return made
    because = f"{said[0].upper()}{said[1:]}; what is built for the first does not fit the other."
    return replace(made, title=title, because=because, settled=made.settled or settled)
