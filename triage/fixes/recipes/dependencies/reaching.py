"""Which of a job's installs bring something to the command that failed: those before it, in the environment that it
runs in, that run whatever the `if` of a step says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.pythons import reaches
from triage.fixes.recipes.failing import failing, may_fail
from triage.fixes.recipes.outcome import Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.surroundings import timing

_IF = "if: "


def reaching(here: Situation, done: Sequence[Install]) -> tuple[Install, ...]:
    """Those of `done`; all of them for a build and where the failed step is not known."""
    if here.image or here.typed or here.step is None:
        return tuple(done)
    is_timely = timing(here)
    timely = [one for one in done if is_timely(one.invocation)]
    failed = _failed(here)
    if failed:
        timely = [one for one in timely if any(reaches(here, one, each) for each in failed)]
    held = {one.test for each in failed for one in each.conditions}
    shown = {one.invocation.step for one in timely if _is_shown(here, one)}
    certain = [one for one in timely if not _skippable(one, held) or one.invocation.step in shown]
    return tuple(certain or timely)


def too_late(here: Situation) -> Iterator[Install]:
    """Installs of the job that run only after the failed command."""
    every = () if here.image else installs(here.evaluation.invocations)
    is_timely = timing(here)
    yield from (one for one in every if not is_timely(one.invocation))


def before_failure(here: Situation, done: Sequence[Install]) -> Iterator[Install]:
    """Of the failed instruction only the first commands, those of which the log lists something as just installed."""
    brought = here.facts.brought or frozenset()
    own = [one for one in done if one.invocation.step == here.instruction]
    ran = takewhile(lambda one: any(named.name in brought for named, _ in one.named), own)
    yield from (one for one in done if one.invocation.step < here.instruction)
    yield from ran


def place_to_add(here: Situation, done: Sequence[Install]) -> Install | None:
    """The last command behind which another line runs as well: one that runs whatever a branch of a script decides,
    where there is one."""
    there = [one for one in done if one.call.insertable]
    held = {each.test for one in _failed(here) for each in one.conditions}
    sure = [one for one in there if all(each.test in held for each in one.invocation.assumptions)]
    return next(reversed(sure or there), None)


def in_a_branch(here: Situation, one: Install) -> Words | None:
    """Where a script runs it under a condition alone that the failed command has not, and the log, which shows other
    commands of that script, does not show it; None elsewhere."""
    every = [{each.test for each in failed.conditions} for failed in _failed(here)]
    held = set.intersection(*every) if every else set()
    tests = [each for each in one.invocation.assumptions if each.test not in held and not each.test.startswith(_IF)]
    shown = {" ".join(map(_unquoted, line.lstrip("+ ").split())) for line in here.facts.commands}
    beside = (each for each in here.evaluation.invocations if each.calls and each.calls[-1].path == one.call.path)
    traced = one.call.path != here.job.path and any(each.command_line in shown for each in beside)
    if not tests or not traced or " ".join(map(str, one.invocation.argv)) in shown:
        return None
    return Words(
        f"{one.call.path}:{one.call.line} installs it (`{one.invocation.command_line}`) only where the "
        f"condition at {tests[0].path}:{tests[0].line} holds, and the log does not show that it ran: install it before "
        "what needs it, whatever that says"
    )


def _unquoted(word: str) -> str:
    return word.strip("'\"")


def sent_elsewhere(here: Situation, every: Sequence[Install], done: Sequence[Install], made: Outcome) -> Outcome:
    """What is made of it where the job installs, though nothing that the failed command sees."""
    failed = _failed(here)
    if done or not every or not failed or not isinstance(made, Words) or not made.image:
        return made
    where = f"`{failed[0].command_line}` sees nothing of what {here.job.id} installs with pip"
    return Words(f"{where}: it belongs where the environment of that command is made, or into its image")


def _failed(here: Situation) -> tuple[Invocation, ...]:
    """The command that failed, else those of the failed step that may have."""
    written = [one for one in here.concerned if one.argv and one.calls and not one.substitution]
    return failing(here.facts, written) or may_fail(written)


def _skippable(one: Install, held: set[str]) -> bool:
    """Whether an `if` of its step that nothing decides, and that the failed command has not, keeps it from running."""
    return any(each.test.startswith(_IF) and each.test not in held for each in one.invocation.assumptions)


def _is_shown(here: Situation, one: Install) -> bool:
    """Whether the log shows the command: the header of a step does, once the step has begun."""
    line = " ".join(one.invocation.command_line.split())
    return any(line in " ".join(shown.split()) for shown in (*here.facts.installs, *here.facts.commands))
