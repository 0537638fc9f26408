"""`hold_build`: an isolated build takes the newest torch that `[build-system] requires` lets in, for whatever CUDA that
is built; the compiler that is there is of another one."""

from __future__ import annotations

import re

from triage.fixes.manifests import toml
from triage.fixes.numbers import whole
from triage.fixes.recipes.dependencies.build_requires import folders_built, required_as, required_to_build
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.isolation import UNISOLATED
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, naming, parsed
from triage.model.recipe import HoldBuild

# From which release on the public index has torch for which CUDA, newest first (RELEASE.md of pytorch/pytorch).
_SINCE = (("2.11", "13"), ("2.1", "12"), ("1.13", "11"))
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}", re.ASCII)


def hold_build(recipe: HoldBuild, here: Situation) -> Outcome:
    """At the release that is installed beside the build, where both that one and the public index's are for the CUDA
    of the compiler, a capture."""
    toolkit = here.captures.get(recipe.toolkit.strip("{}"), "").partition(".")[0]
    listed, _, build = here.facts.installed.get("torch", "").partition("+")
    told = f"install the torch for CUDA {toolkit} first, and build with `{UNISOLATED}` against it"
    if whole(toolkit) is None or not _RELEASE.fullmatch(listed):
        return Words(f"the log does not list the torch that is installed beside the build: {told}")
    if build and not build.startswith(f"cu{toolkit}"):
        return Words(f"torch {listed}+{build} is installed, and the compiler is CUDA {toolkit}'s: {told}")
    if _on_index(listed) != toolkit:
        return Words(f"the public index has torch {listed} for another CUDA than {toolkit}: {told}")
    folders = folders_built(here, installs(here.evaluation.invocations))
    found = [(placed, named) for folder in folders for placed, named in _required(here, folder)]
    if not found:
        return Refusal("no pyproject.toml of what the job builds requires torch for the build")
    return together([_held(here, placed, named, listed) for placed, named in found])


def _on_index(release: str) -> str:
    return next((cuda for since, cuda in _SINCE if satisfied(f">={since}", release)), "")


def _required(here: Situation, folder: str) -> list[tuple[toml.Placed, Named]]:
    path = beside(folder, "pyproject.toml")
    strings = toml.strings(here.tree.read(path)) if path in here.tree else ()
    if isinstance(strings, Refusal):
        return []
    return [(one, named) for one in required_to_build(strings) for named in naming(parsed(one.value, path), ("torch",))]


def _held(here: Situation, placed: toml.Placed, named: Named, release: str) -> Outcome:
    pin = named.pin.replace(" ", "")
    if pin == f"=={release}":
        return InPlace(f"{named.path} requires {placed.value} for the build")
    if "==" in pin or placed.value != named.spec or not satisfied(pin, release):
        return Refusal(f"{named.path} requires {placed.value} for the build, and torch {release} is installed")
    space = " " if " " in named.spec else ""
    new = f"{named.written}{space}=={space}{release}"
    why = f"torch {release} is installed beside the build, and the newest is for another CUDA"
    title = f"Build against torch {release}, as it is installed"
    note = "not checked: what the project itself requires of torch may still let another release in"
    return required_as(here, placed, named.path, new, why, title=title).noting(note)
