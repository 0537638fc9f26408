"""A file that is gone because an earlier step of the job ran the same command: the second one goes."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.commands.lines import remove_lines
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import RemoveLines

_ONCE = ("mv", "rm", "rmdir", "unlink")


def moved_before(here: Situation | Refusal, path: str) -> Outcome:
    step = None if isinstance(here, Refusal) else here.step
    if isinstance(here, Refusal) or step is None or not path:
        return Refusal("the failed step is not known")
    own = [one for one in here.evaluation.invocations if one.step == step.index and _takes(one, path)]
    earlier = [one for one in here.evaluation.invocations if one.step < step.index and _takes(one, path)]
    same = [one for one in own if any(_same(one, other) for other in earlier)]
    if len(same) != 1 or len(own) != 1 or any(one.conditions for one in (*own, *earlier)):
        return Refusal(f"no earlier step takes {path} away by the same command")
    words = [word.text or "" for word in own[0].argv]
    others = [
        one
        for one in here.evaluation.invocations
        if one.step not in (step.index, earlier[0].step) and _takes(one, path)
    ]
    if others:
        return Refusal(f"several steps take {path} away")
    recipe = RemoveLines(words[0], containing=tuple(words[1:]))
    concerned = tuple(one for one in here.evaluation.invocations if one not in earlier)
    return remove_lines(recipe, _only(here, concerned))


def _only(here: Situation, invocations: tuple[Invocation, ...]) -> Situation:
    return replace(here, evaluation=replace(here.evaluation, invocations=invocations))


def _takes(one: Invocation, path: str) -> bool:
    words = [word.text for word in one.argv]
    return bool(words) and words[0] in _ONCE and path in words[1:] and not one.substitution


def _same(one: Invocation, other: Invocation) -> bool:
    return one.command_line == other.command_line and one.directory == other.directory
