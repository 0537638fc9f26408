"""`run_before`: a command that must run before another one of the failed step, or build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.fixes.workflow.model import Step
from triage.model.patch import Expectation
from triage.model.recipe import RunBefore

# Commands after which an image is there that no container uses yet.
_HOLDING = ("docker build", "docker buildx build", "docker pull", "docker load")


def run_before(recipe: RunBefore, here: Situation) -> Outcome:
    own = [one for one in here.concerned if _failed_instruction(here, one)]
    if not recipe.commands:
        return _first_of_step(recipe, here, own)
    meant = [at for at, one in enumerate(own) if _starts(one, recipe.commands)]
    if not meant:
        return Refusal(f"no command of {here.job.id} is `{recipe.commands[0]}`", here.job.path, here.job.line)
    if recipe.outside:
        meant = meant[:1]
        first = own[meant[0]]
        holding = [one for one in here.evaluation.invocations if one.step < first.step and _starts(one, _HOLDING)]
        if holding:
            return Refusal(f"`{recipe.run}` would remove what `{holding[0].command_line[:60]}` holds")
        if pruning := _pruning(here, first):
            if any(one.command_line == recipe.run for one in pruning):
                return InPlace(f"`{recipe.run}` runs before `{recipe.commands[0]}` already")
            return _behind(recipe, here, pruning[-1])
        if on_bare_machine(here):
            return Refusal("a machine of GitHub's own holds nothing of earlier jobs", here.job.path, here.job.line)
    before = [*takewhile(lambda one: one is not own[meant[0]], here.evaluation.invocations)] if recipe.once else []
    if any(f"{one.command_line} ".startswith(f"{recipe.run} ") for one in before):
        return InPlace(f"`{recipe.run}` runs before `{recipe.commands[0]}` already")
    calls: dict[tuple[str, int], tuple[Invocation, Call]] = {}
    for at in meant[:1] if recipe.once else meant:
        if any(one.command_line == recipe.run for one in own[max(at - 1, 0) : at]):
            continue
        calls.setdefault(own[at].calls[-1].key, (own[at], own[at].calls[-1]))
    if not calls:
        return InPlace(f"`{recipe.run}` runs before `{recipe.commands[0]}` already")
    return together([_inserted(recipe, here, one, call) for one, call in calls.values()])


def _pruning(here: Situation, first: Invocation) -> list[Invocation]:
    """What the job runs before to the same end."""
    earlier = takewhile(lambda one: one is not first, here.evaluation.invocations)
    words = ((one, [value.text or "" for value in one.program[:3]]) for one in earlier if one.calls)
    return [one for one, said in words if said[:1] == ["docker"] and "prune" in said]


def _behind(recipe: RunBefore, here: Situation, pruning: Invocation) -> Outcome:
    """Where the job makes room already, as often as it does so."""
    call = pruning.calls[-1]
    made = _inserted(recipe, here, pruning, call, before=False)
    if not isinstance(made, Edited):
        return made
    return made.noting(f"{call.path}:{call.line} prunes already, and leaves what this takes: see that nothing needs it")


def _first_of_step(recipe: RunBefore, here: Situation, own: Sequence[Invocation]) -> Outcome:
    if here.step is None and any(_begins(step, recipe.run, here.target.step) for step in here.job.steps):
        return InPlace(f"the failed step runs `{recipe.run}` first")
    if here.step is None or not own:
        return Refusal("the failed step is not known, or runs no commands", here.job.path, here.job.line)
    if any(one.command_line == recipe.run for one in own):
        return InPlace(f"`{here.step.name}` runs `{recipe.run}` already")
    return _inserted(recipe, here, own[0], own[0].calls[0])


def _begins(step: Step, run: str, header: str) -> bool:
    """Whether the step that a log calls by its first command, `Run bash x.sh`, has `run` before it now."""
    lines = step.script
    return len(lines) > 1 and lines[0] == run and header == f"Run {lines[1]}"


def _failed_instruction(here: Situation, one: Invocation) -> bool:
    return bool(one.calls) and (not here.image or one.step == here.instruction)


def _starts(one: Invocation, commands: tuple[str, ...]) -> bool:
    line = " ".join(str(word) for word in one.program)
    return any(line == start or line.startswith(f"{start} ") for start in commands)


def _inserted(
    recipe: RunBefore, here: Situation, one: Invocation, call: Call, *, before: bool = True
) -> Edited | Refusal:
    why = f"{'before' if before else 'after'} `{' '.join(str(word) for word in one.program[:3])}`"
    edits = insert_line(here.tree, call, recipe.run, why=why, before=before)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("command", recipe.run, here.target.job, here.target.workflow_path)
    if is_dockerfile(call.path):
        promise = Expectation("image", recipe.run, here.target.job, call.path)
    made = Edited(edits, (declared_at(here, call.path, one.step),), (promise,))
    return replace(made, blast_radius=blast_of_calls(here, (call,)))
