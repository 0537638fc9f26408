"""`older_pip`: before an install whose metadata the newest pip refuses, the pip that takes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.dependencies.commands_in_tree import line_beside
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, in_file, parsed
from triage.fixes.shell.edits import insert_line
from triage.fixes.whereabouts.typed import is_typed
from triage.model.patch import Expectation
from triage.model.recipe import OlderPip

_BOUND = re.compile(r"<[0-9]{1,2}(?:\.[0-9]{1,2}){1,2}")


def older_pip(recipe: OlderPip, here: Situation) -> Outcome:
    bound = here.captures.get(recipe.bound.strip("{}"), "")
    asked = next(parsed(here.captures.get(recipe.requirement.strip("{}"), ""), ""), None)
    if asked is None or _BOUND.fullmatch(bound) is None:
        return Refusal("the log does not say which pip would do")
    done = installs(here.evaluation.invocations)
    meant = _bringing(here, done, asked)
    if not meant:
        return Words(f'run `pip install "pip{bound}"` before {asked.name} is installed', image=True)
    if any(one.uv for one in meant):
        return Refusal(f"{meant[0].call.path}:{meant[0].call.line} installs with uv, which is no pip")
    of_pip = [one for one in done[: done.index(meant[0])] if any(named.name == "pip" for named, _ in one.named)]
    held = of_pip[-1] if of_pip else None
    if held is not None and _holds(held, bound):
        return InPlace(f"{held.call.path}:{held.call.line} holds pip at `{bound}` already")
    made = together([_before(here, one, bound) for one in {one.call.key: one for one in meant}.values()])
    return made.noting(f"pip stays at {bound} for what is installed after it") if isinstance(made, Edited) else made


def _bringing(here: Situation, done: Sequence[Install], asked: Named) -> list[Install]:
    """Those that name the requirement as the log has it, else its distribution; for what comes with something else,
    the command that failed."""
    every = [(one, named) for one in done for named in _asked(here, one) if named.name == asked.name]
    exact = [one for one, named in every if named.pin.replace(" ", "") == asked.pin.replace(" ", "")]
    if found := exact or [one for one, _ in every]:
        return found
    failed = {one.calls[-1].key for one in failing(here.facts, [one for one in here.concerned if one.calls])}
    return [one for one in done if one.call.key in failed]


def _asked(here: Situation, one: Install) -> Iterator[Named]:
    yield from (named for named, _ in one.named)
    for path in one.files:
        yield from in_file(here.tree, path)


def _holds(one: Install, bound: str) -> bool:
    return any(named.name == "pip" and bound in named.pin.replace(" ", "").split(",") for named, _ in one.named)


def _before(here: Situation, one: Install, bound: str) -> Outcome:
    line = f'{" ".join(one.head)} install "pip{bound}"'
    why = "the newest pip refuses the metadata of what is installed next"
    if is_typed(one.call.path):
        return line_beside(here, [str(word) for word in one.invocation.argv], line, why, before=True)
    edits = insert_line(here.tree, one.call, line, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    shown = line.replace('"', "")
    promise = Expectation("command", shown, here.target.job, here.target.workflow_path)
    if is_dockerfile(one.call.path):
        promise = Expectation("image", shown, here.target.job, one.call.path)
    declared = (declared_at(here, one.call.path, one.invocation.step),)
    return Edited(edits, declared, (promise,), title=f"Install with pip{bound}",
                  blast_radius=blast_of_calls(here, (one.call,)))  # fmt: skip
