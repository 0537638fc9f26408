"""`pip_install` with `coinstall`: what is built for one release of another comes in the command that pins that one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, normalised
from triage.fixes.shell.edits import append_behind
from triage.model.patch import Expectation
from triage.model.recipe import PipInstall

_EXACT = re.compile(r"={2,3}\s*([0-9]+(?:\.[0-9]+)*)(\+\w+)?")


def coinstall(recipe: PipInstall, here: Situation, done: Sequence[Install]) -> Outcome:
    """The release is that of the reviewed table; where that has none for the base, the command that brings the base
    chooses one that requires it. Words where that one resolves nothing, or a later command names the companion."""
    base, name = normalised(recipe.coinstall), normalised(recipe.distribution)
    moving = [(at, one, named) for at, one in enumerate(done) for named, _ in one.named if named.name == base]
    if not moving:
        return Words(_by_table(here, base, name))
    at, install, named = moving[-1]
    word = next(value for one, value in install.named if one is named)
    resolves = "--no-deps" not in install.flags and "://" not in named.pin
    wanted = _companion(here, named, name) or (name if resolves else "")
    place = f"{install.call.path}:{install.call.line}"
    if not wanted:
        return Words(f"{place} installs {named.spec}: name the {name} of the same release beside it")
    held = [(other, one) for other, each in enumerate(done) for one, _ in each.named if one.name == name]
    if any(one.spec == wanted and other >= at for other, one in held):
        return InPlace(f"{place} installs {named.spec}, and the job installs {wanted}")
    decides = next((one for other, one in held if other >= at or one.pin), None)
    if decides is not None:
        return Words(f"{decides.path}:{decides.line} says {decides.spec}: {wanted} fits the {named.spec} of {place}")
    why = f"{wanted} is the one built for {named.spec}"
    if wanted == name:
        why = f"one command chooses {base} and the {name} that requires it"
    made = append_behind(here.tree, install.call, word, wanted, why=why)
    if isinstance(made, Refusal):
        return made
    edits, behind = made
    promises = promised(here, edits)
    if all(word.text is not None for word in install.invocation.argv):  # else only the line can be compared
        command = install.with_word(wanted, behind)
        promises = (Expectation("command", command, here.target.job, here.target.workflow_path),)
    declared = declared_at(here, install.call.path, install.invocation.step)
    return Edited(edits, (declared,), promises, title=f"Install {wanted} with {named.spec}", notes=(why,))


def _companion(here: Situation, named: Named, name: str) -> str:
    """ "" where the table has no such release."""
    exact = _EXACT.fullmatch(named.pin)
    release = here.tables.companions.get(named.name, {}).get(exact[1], {}).get(name, "") if exact else ""
    return f"{name}=={release}{exact[2] or ''}" if exact and release else ""


def _by_table(here: Situation, base: str, name: str) -> str:
    listed = here.facts.installed.get(base, "").partition("+")[0]
    release = here.tables.companions.get(base, {}).get(listed, {}).get(name, "")
    if release:
        return f"the log lists {base} {listed}, for which {name}=={release} is built: hold both in one install command"
    return f"hold {base} and the {name} of the same release in one install command"
