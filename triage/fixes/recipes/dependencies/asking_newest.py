"""`ask_for_newest`: pip went back to ever older releases of what the job asks for without a bound, to one that no
longer builds. Where the first that it tried is asked for, pip looks for another way, or says what stands against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.moving import named_by_job
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import AskForNewest, PipPin


def ask_for_newest(_recipe: AskForNewest, here: Situation) -> Outcome:
    if not here.facts.retreats:
        return Refusal("the log does not show that pip tried several releases of one distribution")
    done = installs(here.evaluation.invocations)
    open_below = [name for name in here.facts.retreats if _is_open(here, done, name)]
    if not open_below:
        said = "; ".join(f"{name}: {', '.join(tried)}" for name, tried in here.facts.retreats.items())
        return Words(f"pip tried several releases ({said}): ask for the newest of them where it is brought in")
    if len(open_below) > 1:
        said = ", ".join(f"{name}>={here.facts.retreats[name][0]}" for name in open_below)
        return Words(f"pip went back in several of what is asked for: try {said}")
    name = open_below[0]
    tried = here.facts.retreats[name]
    chosen = PipPin(name, f">={tried[0]}", only_named=True)
    made = pip_pin(chosen, here)
    if not isinstance(made, Edited):
        return made
    said = f"pip tried {', '.join(tried)} of {name}: what else is asked for may not fit {tried[0]}, which pip then says"
    return replace(made.noting(said), title=f"Ask for {name}>={tried[0]}", settled=made.settled or chosen)


def _is_open(here: Situation, done: Sequence[Install], name: str) -> bool:
    """Whether the job asks for it by name, nothing holds it, and the oldest release that pip tried would do."""
    named, oldest = named_by_job(here, done, name), here.facts.retreats[name][-1]
    free = all("==" not in one.pin and "<" not in one.pin and satisfied(one.pin, oldest) for one in named)
    return bool(named) and free
