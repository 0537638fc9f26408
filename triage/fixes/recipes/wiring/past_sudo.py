"""A variable for root's programs: `sudo` hands nothing of the environment on, so it stands behind `sudo` itself."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_command

# Who reads a variable that matters to root's programs alone.
_OF_ROOT = {"DEBIAN_FRONTEND": ("apt", "apt-get", "add-apt-repository", "dpkg")}


def behind_sudo(name: str, commands: Sequence[Invocation]) -> list[Invocation]:
    """Those whose program reads the variable and that `sudo` starts, which hands no environment on."""
    readers = _OF_ROOT.get(name, ())
    mine = [one for one in commands if one.program and one.program[0].text in readers]
    return [one for one in mine if one.argv[0].text == "sudo" and one.calls and one.calls[-1].insertable]


def past_sudo(here: Situation, one: Invocation, name: str, value: str) -> Outcome:
    call = one.calls[-1]
    if any((word.text or "").startswith(f"{name}=") for word in one.argv):
        return InPlace(f"{call.path}:{call.line} hands {name} through sudo")
    why = f"sudo hands no {name} of the job on"
    edits = replace_command(here.tree, call, "sudo ", f"sudo {name}={value} ", why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, call.path, one.step)
    return Edited(edits, (declared,), promised(here, edits), blast_radius=blast_radius(here, edits))
