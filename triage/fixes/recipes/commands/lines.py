"""`remove_lines` and `replace_line`: commands that go, or that become others, wherever this job runs them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import remove_command, replace_command
from triage.model.patch import Expectation
from triage.model.recipe import RemoveLines, ReplaceLine


def remove_lines(recipe: RemoveLines, here: Situation) -> Outcome:
    hits = [one for one in _written(here) if _matches(one, recipe)]
    if not hits:
        return InPlace(f"{here.job.id} runs no `{recipe.command}` {' '.join(recipe.containing)}".rstrip())
    return together([_remove(here, one) for one in hits])


def _written(here: Situation) -> list[Invocation]:
    return [one for one in here.evaluation.invocations if one.calls and not one.substitution]


def _matches(invocation: Invocation, recipe: RemoveLines) -> bool:
    words = [str(value) for value in invocation.argv]
    start = recipe.command.split()
    program = words[invocation.inner :]
    starts = words[: len(start)] == start or program[: len(start)] == start
    return starts and all(any(text in word for word in words) for text in recipe.containing)


def _remove(here: Situation, invocation: Invocation) -> Outcome:
    call = invocation.calls[-1]
    edits = remove_command(
        here.tree, call, why=f"`{invocation.command_line}` is what breaks, or what is no longer needed"
    )
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation(
        "absent", invocation.command_line, here.target.job, here.target.workflow_path, step=invocation.step
    )
    declared = declared_at(here, call.path, invocation.step)
    return Edited(edits, (declared,), (promise,), blast_radius=blast_of_calls(here, _shared(here, (call,))))


def _shared(here: Situation, calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.path != here.job.path]


def replace_line(recipe: ReplaceLine, here: Situation) -> Outcome:
    """`from_text` is a whole command as written, or its first words; what follows them stays."""
    before, after = here.fill(recipe.from_text, select=True), here.fill(recipe.to)
    if isinstance(before, Refusal):
        return before
    if isinstance(after, Refusal):
        return after
    done = [one for one in _written(here) if _begins(one, after)]
    hits = [one for one in _written(here) if _begins(one, before) and one not in done]
    if not hits:
        if done:
            return InPlace(f"{here.job.id} already runs `{after}`")
        return Refusal(f"{here.job.id} runs no `{before}`", here.job.path, here.job.line)
    for one in hits:
        if gone := [str(word) for word in one.argv if word.head in recipe.not_with]:
            call = one.calls[-1]
            return Refusal(f"`{after}` takes no {gone[0]}", call.path, call.line)
    return together([_replace(here, one, before, after) for one in hits])


def _begins(invocation: Invocation, text: str) -> bool:
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return [str(value) for value in invocation.argv][: len(words)] == words


def _replace(here: Situation, invocation: Invocation, before: str, after: str) -> Outcome:
    call = invocation.calls[-1]
    edits = replace_command(here.tree, call, before, after, why=f"`{before}` becomes `{after}`")
    if isinstance(edits, Refusal):
        return edits
    promised = " ".join(shlex.split(after))
    promise = Expectation("command", promised, here.target.job, here.target.workflow_path, step=invocation.step)
    declared = declared_at(here, call.path, invocation.step)
    return Edited(edits, (declared,), (promise,), blast_radius=blast_of_calls(here, _shared(here, (call,))))
