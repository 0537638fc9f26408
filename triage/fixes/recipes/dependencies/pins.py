"""`pip_pin`: the version of a distribution, at every place where this job installs it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.builds.built import required_with
from triage.fixes.recipes.dependencies.adding import before_its_build, kept_by_line
from triage.fixes.recipes.dependencies.bounding import bounded_in_list
from triage.fixes.recipes.dependencies.bringing import brought_beside_project, brought_unseen
from triage.fixes.recipes.dependencies.companions import belongs_to_listed
from triage.fixes.recipes.dependencies.conda import PROGRAMS, as_conda, by_conda
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.recipes.dependencies.declaring import redeclared
from triage.fixes.recipes.dependencies.elsewhere import named_elsewhere
from triage.fixes.recipes.dependencies.environments import left_to_conda, pinned_in_environments
from triage.fixes.recipes.dependencies.holding import (
    below_series,
    bounded,
    from_log,
    held_at,
    held_to_series,
    keeps_out,
    standing_of,
    which,
)
from triage.fixes.recipes.dependencies.installs import Install, brought_along, installs
from triage.fixes.recipes.dependencies.instead import other_cause
from triage.fixes.recipes.dependencies.known_names import gone_with, since_release
from triage.fixes.recipes.dependencies.listed_pins import in_requirement_files
from triage.fixes.recipes.dependencies.logged import hold_by_log
from triage.fixes.recipes.dependencies.makers import pinned_by_makers
from triage.fixes.recipes.dependencies.moving import (
    asked_above,
    came_before,
    floats,
    is_private,
    named_by_job,
    oldest_asked_for,
    overruled_bound,
)
from triage.fixes.recipes.dependencies.pinned import SiblingPin, held_in_tree, holds_between, pin_of_siblings
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.reaching import place_to_add, reaching, sent_elsewhere
from triage.fixes.recipes.dependencies.requiring import beside_users, required
from triage.fixes.recipes.exposed import exposed_to_pin
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at, set_env
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, in_pyproject, naming, normalised
from triage.fixes.shell.edits import replace_word
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Expectation
from triage.model.recipe import PipPin

_WRITTEN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN, SiteKind.DEFAULT})


def pip_pin(recipe: PipPin, here: Situation) -> Outcome:
    """Install lines and the requirements files that they name; else what the job's own project or image declares."""
    name = which(recipe, here)
    if not isinstance(name, str):
        return name
    if keeps_out(recipe) and (instead := other_cause(recipe, here, name)) is not None:
        return instead
    every = installs(here.evaluation.invocations)
    done = reaching(here, every)
    if release := since_release(recipe, here, name):
        newer = PipPin(name, f">={release}", only_named=True)
        made = _entitled(_held(newer, here, done, name), f"Ask for {name}>={release}, which has it", newer)
        if isinstance(made, Edited):
            made = replace(made, because=f"The code takes from {name} what its releases have since {release}.")
        return sent_elsewhere(here, every, done, made)
    return sent_elsewhere(here, every, done, _held(recipe, here, done, name))


def _held(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str) -> Outcome:
    spec = held_at(recipe, here, name)
    if isinstance(spec, Words) and not recipe.other and (oldest := oldest_asked_for(here, done, name)):
        chosen = PipPin(name, oldest)
        return _entitled(
            _pinned(chosen, here, done, name, oldest), f"Hold {name} at the release that is asked for", chosen
        )
    if not isinstance(spec, str):
        return spec
    if keeps_out(recipe) and (belongs := belongs_to_listed(here, name)) is not None:
        return belongs
    spec = (from_log(recipe) and held_in_tree(here, name, spec)) or spec
    if (kept := _kept_in_series(recipe, here, done, name, spec)) is not None:
        return kept
    wider = below_series(recipe, here, spec)
    if wider and asked_above(here, done, name, wider) is None and not holds_between(here, name, spec, wider):
        spec = wider
    made = _as_unproved(
        recipe, here, name, hold_by_log(recipe, here, done, name, spec) or _pinned(recipe, here, done, name, spec)
    )
    if keeps_out(recipe) and isinstance(made, Edited) and (above := asked_above(here, done, name, spec)) is not None:
        return Refusal(f"{above.spec} is asked for as well, and {name}{spec} leaves none", above.path, above.line)
    other = which(PipPin(module=recipe.other), here) if recipe.other and isinstance(made, Edited) else ""
    if not isinstance(made, Edited) or not isinstance(other, str) or not other or not floats(here, done, other):
        return made
    if normalised(other) in (brought := here.facts.brought or ()) and normalised(name) not in brought:
        return Words(f"the log lists {other} as put in, and {name} as there before: hold {other}")
    if is_private(here.captures.get(recipe.module.strip("{}"), "")):
        return made.noting(f"{name} keeps what {other} imports to itself, and takes it away at will")
    if is_private(here.captures.get(recipe.other.strip("{}"), "")):
        return Words(f"{name} imports what {other} keeps to itself, and {other} takes that away at will: hold {other}")
    return made.noting(f"{here.job.id} takes {name} and {other} as they are newest: nothing says which one moved")


def _kept_in_series(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Words | None:
    """Where the requirement let no new series in, and nothing is known to have gone: the way may be the other one."""
    if not keeps_out(recipe) or gone_with(recipe, here, name):
        return None
    for one in named_by_job(here, done, name):
        if held_to_series(one.pin, spec):
            said = f"{one.path}:{one.line} says {one.spec}, which let no new series in"
            return Words(f"{said}: what is missing may be what only later releases of {name} have")
    return None


def _as_unproved(recipe: PipPin, here: Situation, name: str, made: Outcome) -> Outcome:
    """With a word on the name that the code takes from the package, where nothing says that an older release has it."""
    missing = here.captures.get("name", "")
    if not keeps_out(recipe) or not missing or not isinstance(made, Edited) or gone_with(recipe, here, name):
        return made
    return made.noting(f"not checked: that the releases of {name} before it have {missing}")


def _entitled(made: Outcome, title: str, chosen: PipPin | None = None) -> Outcome:
    return replace(made, title=title, settled=chosen or made.settled) if isinstance(made, Edited) else made


def _pinned(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Outcome:
    sites = [*in_commands(recipe, here, done, name, spec), *in_requirement_files(recipe, here, done, name, spec)]
    sites += [*pinned_in_environments(recipe, here, name, spec), *pinned_by_makers(recipe, here, name, spec)]
    if sites and (overruled := overruled_bound(here, done, name, spec)):
        made = _added(chosen := PipPin(name, overruled), here, done, name, overruled)
        return _entitled(made, f"Install {name}{overruled} last: what is installed after it moved it", chosen)
    if not sites and keeps_out(recipe):
        floors = {part for one in named_by_job(here, done, name) for part in one.pin.replace(" ", "").split(",")}
        sibling = pin_of_siblings(here, name, spec, floors)
        if sibling is not None:
            return _as_siblings(here, done, name, sibling)
    if not sites and keeps_out(recipe) and came_before(here, done, name):
        there = f"{name} {here.facts.installed[normalised(name)]} is there before {here.job.id} installs anything"
        return Words(f"{there}: hold it in the image", image=True)
    sites = sites or [*redeclared(recipe, here, done, name, spec)]
    if sites:
        whole = together(sites)
        if not isinstance(whole, Edited):
            return whole
        title = f"Hold {name} at `{spec}`" if keeps_out(recipe) else ""
        return replace(whole, siblings=exposed_to_pin(here, name, spec), title=title)
    return _unnamed(recipe, here, done, name, spec)


def _unnamed(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Outcome:
    """Of what nothing that the job installs asks for by name."""
    if (elsewhere := named_elsewhere(here, name, spec)) is not None:
        return elsewhere
    if spec.startswith("<") and not recipe.only_named and (beside := beside_users(here, done, name, spec)) is not None:
        return _if_known(recipe, here, name, spec, _entitled(beside, f"Hold {name} at `{spec}`"))
    if recipe.only_named:
        return Refusal(f"nothing that {here.job.id} installs names {name}")
    if from_log(recipe):
        return Words(f"nothing that {here.job.id} installs asks for {name} by name: hold it at `{spec}`", image=True)
    if (anchor := brought_beside_project(here, done, name)) is not None and not recipe.from_spec:
        made = kept_by_line(here, anchor, name, spec)
        return _if_known(recipe, here, name, spec, _entitled(made, f"Hold {name} at `{spec}`"))
    if keeps_out(recipe) and projects(here, done):
        return _if_known(recipe, here, name, spec, _through_others(here, done, name, spec))
    project = naming(in_pyproject(here.tree), (normalised(name),))
    if project and not keeps_out(recipe) and not isinstance(standing_of(recipe, here, project[0], spec), InPlace):
        return Words(
            f"pyproject.toml names {project[0].spec}: make it `{project[0].written}{spec}` there and run `uv lock` "
            "where the repository keeps a lock"
        )
    listed = normalised(name) in here.facts.installed or name in here.facts.versions
    if keeps_out(recipe) and not here.image and not listed:
        return Words(f"the log does not list the installed {name}: hold it at `{spec}` where it comes from")
    if spec.startswith("<") and (unseen := brought_unseen(here, done, name)) is not None:
        return unseen
    brought = keeps_out(recipe) or normalised(name) in (here.facts.brought or ())
    in_list = bounded_in_list(here, done, name, spec) if brought and not recipe.from_spec else None
    return _if_known(recipe, here, name, spec, in_list or _added(recipe, here, done, name, spec))


def _if_known(recipe: PipPin, here: Situation, name: str, spec: str, made: Outcome) -> Outcome:
    """A name that only the log gives is shown and never written: it may be any package of an index."""
    ours = "{" not in (recipe.module or recipe.distribution)
    if not isinstance(made, Edited) or ours or knows_distribution(here.tree, here.tables, name):
        return made
    said = f"only the log names {name}: where the job is meant to have it, hold it at `{spec}`"
    return Words(said, shown=made)


def _as_siblings(here: Situation, done: tuple[Install, ...], name: str, sibling: SiblingPin) -> Outcome:
    """With the variable that they read, where they share one and this workflow's `env` is free of it."""
    chosen = PipPin(name, sibling.pin)
    made: Outcome = _added(chosen, here, done, name, sibling.pin)
    own = child(here.job.workflow.node, "env", sibling.variable) if sibling.variable else None
    if isinstance(made, Edited) and sibling.variable and (own is None or sibling.pin == f"=={text_of(own)}"):
        value, requirement = sibling.pin.removeprefix("=="), f"{name}{sibling.pin}"
        set_there = set_env(
            here, sibling.variable, value, why=f"other workflows keep {name}'s release so", level="workflow"
        )
        written = tuple(
            replace(edit, new=edit.new.replace(requirement.encode(), sibling.word.encode())) for edit in made.edits
        )
        if not isinstance(set_there, Refusal | Words):
            made = together([set_there, replace(made, edits=written)])
    return _entitled(made, f"Hold {name} at `{sibling.pin}`, as other jobs do", chosen)


def _through_others(here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Outcome:
    """What nothing names came in with the project's own requirements, or with what the job clones and installs."""
    made = required(here, done, name, spec)
    if made is not None:
        return _entitled(made, f"Hold {name} at `{spec}`")
    if any(one.local and "--no-deps" not in one.flags and not _own(here, one) for one in done):
        return _added(PipPin(name, spec), here, done, name, spec)
    if (listed := bounded_in_list(here, done, name, spec)) is not None:
        return listed
    return Words(f"nothing in the repository names {name}, which came in with something else: require {name}{spec}")


def _own(here: Situation, one: Install) -> bool:
    """Whether every folder that the command installs is one of this repository, not a clone made by the job."""
    files = (beside(folder, name) for folder in one.projects for name in ("pyproject.toml", "setup.py"))
    return bool(one.projects) and any(path in here.tree for path in files)


def in_commands(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Iterator[Outcome]:
    ran = here.evaluation.invocations
    for one in (*done, *brought_along(ran), *(by_conda(ran) if "+" not in spec else ())):
        for named, value in one.named:
            if named.name == normalised(name):
                yield _respelled(recipe, here, one, named, value, spec)


def _respelled(recipe: PipPin, here: Situation, one: Install, named: Named, value: Value, spec: str) -> Outcome:
    standing = standing_of(recipe, here, named, spec)
    if standing is not None:
        return standing
    sites = value.sites
    text = f"{named.written}{bounded(named.pin, spec)}"
    text = as_conda(text) if one.head[0] in PROGRAMS else text
    if len(sites) != 1 or sites[0].kind not in _WRITTEN or sites[0].path not in here.tree:
        return Refusal(f"`{value}` is put together where it cannot be replaced", one.call.path, one.call.line)
    site = sites[0]
    if here.tree.read(site.path)[site.start : site.end] != (value.text or "").encode():
        return Refusal(f"`{value}` is not written as such", site.path, site.line)
    needs_quotes = not site.quote and shlex.quote(text) != text
    new = f'"{text}"' if needs_quotes else text
    edits = replace_word(here.tree, site, new, why=f"{named.written} is held at {spec}")
    if isinstance(edits, Refusal):
        return edits
    promised = [str(word) for word in one.invocation.argv]
    promised = [text if word is value else old for word, old in zip(one.invocation.argv, promised, strict=True)]
    promise = Expectation("command", " ".join(promised), here.target.job, here.target.workflow_path)
    declared = dict.fromkeys(declared_at(here, edit.path, one.invocation.step) for edit in edits)
    return Edited(edits, tuple(declared), (promise,))


def _added(recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str) -> Outcome:
    if here.image and here.instruction >= 0:
        return required_with(here, done, f"{name}{spec}")
    if (ahead := before_its_build(here, name, spec)) is not None:
        return ahead
    anchor = place_to_add(here, done)
    if anchor is None:
        image = Words(f"{here.job.id} installs nothing with pip: hold {name}{spec} in its image", image=True)
        return left_to_conda(here, f"hold {name} at `{spec}`") or image
    if recipe.from_spec:
        return Refusal(f"nothing that {here.job.id} installs names {name}")
    return kept_by_line(here, anchor, name, spec)
