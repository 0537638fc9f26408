"""What a shell says of a line of a script, and what is written there instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from triage.fixes.recipes.commands.said.arithmetic import count_digits
from triage.fixes.recipes.commands.said.called import call_otherwise
from triage.fixes.recipes.commands.said.continued import continue_command
from triage.fixes.recipes.commands.said.ends import STEPS
from triage.fixes.recipes.commands.said.foreign import around_foreign
from triage.fixes.recipes.commands.said.named import Said, of_action, said
from triage.fixes.recipes.commands.said.redirected import quote_requirement, reading_script
from triage.fixes.recipes.commands.said.repeated import moved_before
from triage.fixes.recipes.commands.said.unset import empty_default
from triage.fixes.recipes.outcome import Edited, Outcome
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
    subject = subject if recipe.subject.startswith("{") else recipe.subject
    if recipe.fault == "foreign":
        return around_foreign(tree, target, here, named)
    if recipe.fault == "repeated":
        return moved_before(here, subject)
    inner = of_action(tree, target, here, subject) if recipe.fault in STEPS and not named else []
    if inner:
        return _of_one(STEPS[recipe.fault], inner)
    if recipe.fault == "redirected":
        named = reading_script(tree, named, subject) or named
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
        case "continued":
            return continue_command(found)
        case "redirected":
            return quote_requirement(found)
        case fault:
            return STEPS[fault](found)


def _of_one(mend: Callable[[Said], Outcome], texts: Sequence[Said]) -> Outcome:
    """Of an action's steps the one that it is about."""
    made = [mend(one) for one in texts]
    edited = [one for one in made if isinstance(one, Edited)]
    if len(edited) > 1:
        return Refusal(f"{len(edited)} steps of the action may be meant", edited[0].edits[0].path)
    return edited[0] if edited else next((one for one in made if not isinstance(one, Refusal)), made[0])
