"""Which mechanics belong to the recipes that mend an instruction or a command."""

from __future__ import annotations

from triage.fixes.recipes.builds.mend_instruction import mend_instruction
from triage.fixes.recipes.commands.mend_command import mend_command
from triage.fixes.recipes.commands.renamed_packages import rename_package
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.mending import MendCommand, MendInstruction, OfMendingInJob, RenamePackage


def of_mending(recipe: OfMendingInJob, here: Situation) -> Outcome:
    match recipe:
        case MendCommand():
            return mend_command(recipe, here)
        case MendInstruction():
            return mend_instruction(recipe, here)
        case RenamePackage():
            return rename_package(recipe, here)
