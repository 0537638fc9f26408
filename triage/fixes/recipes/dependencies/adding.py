"""A line of its own that installs a distribution within a bound, beside a command that installs already."""

from __future__ import annotations

import shlex
from dataclasses import replace

from triage.fixes.recipes.dependencies.beside import declared_for, quoted
from triage.fixes.recipes.dependencies.commands_in_tree import line_beside
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.isolation import builds_at, of_failed_step
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.shell.edits import insert_line
from triage.fixes.whereabouts.typed import is_typed
from triage.model.patch import Edit, Expectation
from triage.model.recipe import PipPin

# What a build takes from its environment where none is made for it: pip's documentation on build isolation.
_BUILDERS = frozenset(("setuptools", "wheel"))


def before_its_build(here: Situation, name: str, spec: str) -> Outcome | None:
    """A line before the first command of the failed step that builds without isolation, where the distribution is one
    that builds: what other commands install in between may move it again. None where nothing is built so."""
    if normalised(name) not in _BUILDERS or here.step is None or here.typed:
        return None
    every = installs(here.evaluation.invocations)
    at = next(builds_at(here, every), -1)
    if at < 0 or not (build := every[at]).call.insertable:
        return None
    own = of_failed_step(here)
    ahead = [one for one in every[:at] if one.call.key in own][-1:]
    if any(
        named.name == normalised(name) and named.pin.replace(" ", "") == spec for one in ahead for named, _ in one.named
    ):
        return InPlace(f"{name}{spec} is installed before {build.call.path}:{build.call.line} builds")
    return kept_by_line(here, build, name, spec, before=True)


def kept_by_line(here: Situation, anchor: Install, name: str, spec: str, *, before: bool = False) -> Outcome:
    """Behind the command, or before it."""
    requirement = f"{name}{spec}"
    line = f"{' '.join(anchor.head)} install {quoted(requirement)}"
    if is_typed(anchor.call.path):
        return line_beside(here, [str(word) for word in anchor.invocation.argv], line, f"{requirement} is kept")
    why = f"the build takes {requirement}" if before else f"the image's {name} is replaced by {requirement}"
    made = promised(here, anchor, insert_line(here.tree, anchor.call, line, why=why, before=before), line)
    return replace(made, settled=PipPin(name, spec)) if isinstance(made, Edited) else made


def promised(here: Situation, anchor: Install, edits: tuple[Edit, ...] | Refusal, line: str) -> Outcome:
    """With the promise that the job then runs the line."""
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("command", " ".join(shlex.split(line)), here.target.job, here.target.workflow_path)
    return Edited(edits, (declared_for(here, anchor),), (promise,))
