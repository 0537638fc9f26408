"""`build_switch`: a switch that the failed build names itself, beside switches of its kind that the tree sets."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation
from triage.model.recipe import BuildSwitch

_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_LONGEST = 80
_VALUES = ("0", "1", "OFF", "ON", "TRUE", "FALSE", "true", "false")


def build_switch(recipe: BuildSwitch, here: Situation) -> Outcome:
    """The name comes from the log: it is written only where a command sets a switch that begins alike."""
    name = here.captures.get(recipe.name.strip("{}"), "")
    value = here.captures.get(recipe.value.strip("{}"), recipe.value)
    if not _NAME.match(name) or len(name) > _LONGEST or value not in _VALUES:
        return Refusal("the log names no switch of the build")
    own = [one for one in here.concerned if not here.image or one.step == here.instruction]
    held = [one for one in own if name in one.environment and one.environment[name].text == value]
    if held:
        return InPlace(f"`{held[0].command_line}` runs with {name}={value}")
    found = [(one, site) for one in own if (site := _last_alike(one, name)) is not None]
    if not found:
        where = f"{here.image}:{_line(own)}" if here.image else f"{here.job.path}:{here.job.line}"
        return Words(f"set {name}={value} for the command at {where} that builds it")
    return together([_beside(here, one, site, name, value) for one, site in found])


def _line(own: list[Invocation]) -> int:
    return min((one.calls[-1].line for one in own if one.calls), default=0)


def _last_alike(one: Invocation, name: str) -> Site | None:
    """Where the command sets its last switch whose first two words are the same."""
    words = name.split("_")
    start = "_".join(words[: 2 if len(words) > 2 else 1]) + "_"
    sites = [
        site
        for other, held in one.environment.items()
        if other.startswith(start) and other != name and held.text in _VALUES and len(held.sites) == 1
        for site in held.sites
        if site.kind in (SiteKind.CALL_ENV, SiteKind.ASSIGN) and not site.quote
    ]
    return max(sites, key=lambda site: (site.kind is SiteKind.CALL_ENV, site.start), default=None)


def _beside(here: Situation, one: Invocation, site: Site, name: str, value: str) -> Outcome:
    if site.kind is not SiteKind.CALL_ENV:
        return Words(f"set {name}={value} beside {site.name} ({site.path}:{site.line})")
    why = f"the build names {name}; {site.name} stands beside it"
    edit = Edit(site.path, site.end, site.end, f" {name}={value}".encode(), why)
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path, "", one.step)
    if is_dockerfile(site.path):
        promise = Expectation("image", f"{name}={value} {one.command_line}", here.target.job, site.path)
    made = Edited((edit,), (declared_at(here, site.path, one.step),), (promise,))
    made = replace(made, title=f"Set {name}={value} beside {site.name}", blast_radius=blast_radius(here, (site,)))
    return made.noting("what the switch leaves out is not built: see that nothing uses it")
