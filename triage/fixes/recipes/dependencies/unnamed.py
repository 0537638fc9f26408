"""Where a distribution goes that the repository does not name, or names for others only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.beside import Source, anchor_of, beside, effect_of, quoted
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import required_by_package, required_with_tests
from triage.fixes.recipes.dependencies.supplying import joinable, supplied
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.recipe import PipInstall

# What packages are built with: a command that brings nothing else is no place for what tests need.
_BUILDING = frozenset(("pip", "setuptools", "wheel", "build", "uv", "packaging", "ninja", "setuptools-scm", "pybind11"))


def by_itself(recipe: PipInstall, here: Situation, done: Sequence[Install], title: str, name: str, why: str) -> Outcome:
    """What the project's own package imports is required by it. Else where the job alone has what is like it: in a
    command that names distributions, in the extra for tests; else by a command of its own, and in no file that others
    install too."""
    made = required_by_package(here, done, title, name) if recipe.module else None
    with_others = [one for one in done if not _only_builds(one)]
    if made is None and joinable(with_others):
        made = supplied(here, with_others, name)
    made = made or required_with_tests(here, done, name)
    if made is None:
        anchor = anchor_of(done)
        made = supplied(here, done, name) if anchor is None else beside(here, anchor, Source(quoted(name), why))
    if not isinstance(made, Edited):
        return made
    return replace(made, because=made.because or f"{why}; {effect_of(quoted(name))}").noting(why)


def _only_builds(one: Install) -> bool:
    """Whether the command brings what packages are built with and nothing else."""
    return bool(one.named) and not one.files and all(named.name in _BUILDING for named, _ in one.named)
