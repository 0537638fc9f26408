"""Where a distribution goes that the repository does not name, or names for others only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.beside import Source, anchor_of, beside, effect_of, quoted
from triage.fixes.recipes.dependencies.environments import added_to_environment, in_environments
from triage.fixes.recipes.dependencies.importing import file_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import (
    OF_TESTS,
    for_a_purpose,
    required_as_tested,
    required_by_extra_for_tests,
    required_by_list_for_tests,
    required_by_package,
    required_with_tests,
)
from triage.fixes.recipes.dependencies.owned import in_own_list
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.supplying import in_requirements_file, joinable, supplied
from triage.fixes.recipes.dependencies.unaided import before_command, of_the_job
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import parsed
from triage.model.recipe import PipInstall

# What packages are built with: a command that brings nothing else is no place for what tests need.
_BUILDING = frozenset(("pip", "setuptools", "wheel", "build", "uv", "packaging", "ninja", "setuptools-scm", "pybind11",
                       "cmake", "meson"))  # fmt: skip


def by_itself(recipe: PipInstall, here: Situation, done: Sequence[Install], title: str, name: str, why: str) -> Outcome:
    """What the project's own package imports is required by it. Else where the job alone has what is like it: in a
    command that names distributions, in the extra for tests; else by a command of its own, and in no file that others
    install too."""
    plain = next((one.name for one in parsed(name, "")), "")
    listed = next((one.named for one in in_environments(here) if one.named.name == plain), None)
    if listed is not None:
        return InPlace(f"{listed.path}:{listed.line} names it for conda's environment: look for a wrong interpreter")
    made = required_by_package(here, done, title, name) if recipe.module else None
    made = made or added_to_environment(here, name)
    made = made or (_with_tests(here, done, name) if recipe.module and not _for_image_alone(here) else None)
    made = made or (required_as_tested(here, done, title, name) if recipe.module else None)
    made = made or (in_own_list(here, done, title, name) if recipe.module else None)
    builds = plain in _BUILDING
    with_others = [one for one in of_the_job(here, done) if builds or not _only_builds(one)]
    if made is None and joinable(with_others):
        made = supplied(here, with_others, name)
    made = made or required_with_tests(here, done, name) or _with_its_like(here, done, name)
    if made is None:
        anchor = anchor_of(of_the_job(here, done))
        made = before_command(here, name, why) if anchor is None else None
        anchor = anchor or anchor_of(done)
    if made is None:
        made = supplied(here, done, name) if anchor is None else beside(here, anchor, Source(quoted(name), why))
    if not isinstance(made, Edited):
        return made
    return replace(made, because=made.because or f"{why}; {effect_of(quoted(name))}").noting(why)


def _with_tests(here: Situation, done: Sequence[Install], name: str) -> Outcome | None:
    """Where the job has one list for its tests, that is the place, whatever else a command of it names."""
    extras = [extra for one in projects(here, done) for extra in one.chosen if OF_TESTS.match(extra)]
    made = required_by_extra_for_tests(here, done, name) if len(extras) == 1 else None
    return made or required_by_list_for_tests(here, done, name)


def _for_image_alone(here: Situation) -> bool:
    """Whether an image lacks it for a program that is installed there: no test of the repository asked for it."""
    return bool(here.image) and not any(file_of(here.tree, frame) for frame in here.facts.frames)


def _with_its_like(here: Situation, done: Sequence[Install], name: str) -> Edited | None:
    """In the last requirements file that an image is built with, where that has a purpose, as a build has: the layer
    that installs it is there for that, and what the package itself requires is for everybody."""
    files = [path for one in done for path in one.files if path in here.tree and for_a_purpose(path)]
    made = in_requirements_file(here, files[-1], name) if files and here.image else None
    return made if isinstance(made, Edited) else None


def _only_builds(one: Install) -> bool:
    """Whether the command brings what packages are built with and nothing else."""
    return bool(one.named) and not one.files and all(named.name in _BUILDING for named, _ in one.named)
