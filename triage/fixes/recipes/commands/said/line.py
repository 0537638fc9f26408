"""What a shell says of a line of a script, and what is written there instead."""

from __future__ import annotations

from collections.abc import Mapping

from triage.fixes.recipes.commands.said.arithmetic import count_digits
from triage.fixes.recipes.commands.said.called import call_otherwise
from triage.fixes.recipes.commands.said.foreign import around_foreign
from triage.fixes.recipes.commands.said.named import said
from triage.fixes.recipes.commands.said.unset import empty_default
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.recipe import RepairLine


def repair_line(
    recipe: RepairLine, tree: Tree, target: Target, here: Situation | Refusal, facts: Facts, captures: Mapping[str, str]
) -> Outcome:
    named, line, subject = (captures.get(one.strip("{}"), "") for one in (recipe.script, recipe.line, recipe.subject))
    if recipe.fault == "foreign":
        return around_foreign(tree, target, here, named)
    found = said(tree, target, here, named, line, subject)
    if isinstance(found, Refusal):
        return found
    match recipe.fault:
        case "unset":
            return empty_default(found)
        case "arithmetic":
            return count_digits(found)
        case "called":
            return call_otherwise(found, facts)
