"""Configurations that reach a program through a variable whose value only the log shows: an input of the workflow."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.overrides.knobs import Program, program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.chain import read_chain
from triage.fixes.whereabouts.naming import of_name


def programs_of(here: Situation) -> list[Program]:
    """What the failed step starts, each with the configuration behind it."""
    return [_with_file(here, one) for one in here.concerned if one.argv and not one.substitution]


def _with_file(here: Situation, invocation: Invocation) -> Program:
    made = program(here.tree, invocation, here.tables)
    path = shown_file(here, invocation) if made.configuration is None and _reads(invocation) else ""
    chain = read_chain(here.tree, path) if path else Refusal("no variable names one")
    return made if isinstance(chain, Refusal) else replace(made, configuration=chain)


def _reads(invocation: Invocation) -> bool:
    """Whether the command is one that may read a file that a variable names: not one that prints, or prepares."""
    return any((word.text or "").endswith(("pytest", ".py")) for word in invocation.program)


def shown_file(here: Situation, invocation: Invocation) -> str:
    """The configuration whose name a variable of the step holds that only the log shows: an input, an output."""
    hidden = (name for name, value in invocation.environment.items() if value.text is None)
    found = {path for name in hidden if (path := of_name(here.tree, here.facts.settings.get(name, "")))}
    return found.pop() if len(found) == 1 else ""
