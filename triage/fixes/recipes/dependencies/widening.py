"""`pip_widen`: an upper bound of the repository that shuts out what another package asks for, moved just past it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.conflicting import conflicts_of
from triage.fixes.recipes.dependencies.declarations import ALWAYS, Declaration, beside, declarations, in_requirements
from triage.fixes.recipes.dependencies.declaring import rewritten
from triage.fixes.recipes.dependencies.holding import BOUNDS
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.projects import Project, projects, syncs
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import compiled_with, normalised
from triage.model.recipe import PipWiden

_PART = re.compile(r"(===?|!=|<=|>=|~=|<|>)\s*([\w.*+!-]+)")


def pip_widen(recipe: PipWiden, here: Situation) -> Outcome:
    name = here.fill(recipe.distribution, select=True)
    if isinstance(name, Refusal):
        return name
    other = here.captures.get(recipe.other.strip("{}"), name)
    same = normalised(other) == normalised(name)
    fields = (recipe.bounds, recipe.held if same else "")
    asked = [_spelled(here.captures.get(one.strip("{}"), "")) for one in fields]
    asked = [one for one in asked if BOUNDS.fullmatch(one)]
    done = installs(here.evaluation.invocations)
    found = [*_places(here, done, normalised(name))]
    found = found or [*_of_own(here, normalised(name), asked)]
    if not asked or not found:
        return Refusal(
            f"nothing that {here.job.id} installs names {name}" if asked else f"the log names no bounds of {name}"
        )
    if same and (apart := conflicts_of(here, _projects(here, done), normalised(name), asked)) is not None:
        return apart
    outcomes = [outcome for bounds in asked for outcome in _closed(here, found, bounds)]
    return together(outcomes) if outcomes else InPlace(f"every bound on {name} leaves room for {' and '.join(asked)}")


def _projects(here: Situation, done: Sequence[Install]) -> Sequence[Project]:
    """What the job installs, and the root's where no workflow holds the job."""
    return projects(here, done) or ([Project(".", ALWAYS)] if here.typed or not here.job.path else ())


def _spelled(text: str) -> str:
    """Bounds as requirements have them: pip writes "and" before the last one, when it tells of a conflict."""
    return text.replace(" and ", ",").replace(" ", "").rstrip(",")


def _closed(here: Situation, found: Sequence[Declaration | Refusal], bounds: str) -> Iterator[Outcome]:
    """Of the places that shut the bounds out."""
    outcomes = (_widened(here, one, bounds) for one in found)
    yield from (one for one in outcomes if not isinstance(one, InPlace))


def _places(here: Situation, done: Sequence[Install], wanted: str) -> Iterator[Declaration | Refusal]:
    """What the job installs from; where that does not ask for it, what else of a project has the bounds that the log
    names, and all of it where uv resolves it, which it does for all extras at once."""
    for path in dict.fromkeys(path for one in done for path in (*one.files, *one.constraints)):
        yield from in_requirements(here.tree, path, wanted)
    for project in projects(here, done):
        every = declarations(here.tree, project.folder, wanted)
        used = [one for one in every if isinstance(one, Refusal) or one.comes_with(project.chosen)]
        at_once = bool(syncs(here, project.folder)) or beside(project.folder, "uv.lock") in here.tree
        yield from used or [one for one in every if at_once or isinstance(one, Refusal) or _is_named(here, one)]


def _is_named(here: Situation, one: Declaration) -> bool:
    """Whether the log names the declaration's own bounds, or those that it leaves room for: an extra that nobody chose
    shuts nothing out."""
    texts = [_spelled(text) for text in here.captures.values()]
    told = {part for text in texts for part in text.split(",")}
    open_to = any(BOUNDS.fullmatch(text) and widened(one.named.pin, text) == "" for text in texts)
    return open_to or set(one.named.pin.replace(" ", "").split(",")) <= told


def _of_own(here: Situation, wanted: str, asked: Sequence[str]) -> Iterator[Declaration]:
    """Of the root's project, where no workflow holds the job: what begins at a release at which one of the bounds
    that the resolver met begins."""
    begin = {version for bounds in asked for sign, version in _PART.findall(bounds) if sign in (">=", "==")}
    for one in declarations(here.tree, ".", wanted) if here.typed or not here.job.path else ():
        if isinstance(one, Declaration) and any(version in begin for _, version in _PART.findall(one.named.pin)):
            yield one


def _widened(here: Situation, one: Declaration | Refusal, bounds: str) -> Outcome:
    if isinstance(one, Refusal):
        return one
    where = f"{one.path}:{one.named.line}"
    spec = widened(one.named.pin, bounds)
    if spec and "==" in one.named.pin and _built_with_others(here, one.named.name):
        spec = Refusal("it is pinned, and what is built for its release has to move with it")
    if spec and "==" in one.named.pin and compiled_with(here.tree.read(one.path)):
        spec = Refusal("the file is compiled: change what it is made from and compile it anew")
    if isinstance(spec, Refusal):
        return Words(
            f"{where} says {one.named.spec}, and another package wants {one.named.written}{bounds}: {spec.reason}"
        )
    if not spec:
        return InPlace(f"{where} says {one.named.spec}, which leaves room for {bounds}")
    why = f"another package asks for {one.named.written}{bounds}"
    made = rewritten(here, one, spec, why)
    if isinstance(made, Edited):
        made = replace(made, title=f"Let {one.named.written} be {spec}")
    return made


def _built_with_others(here: Situation, name: str) -> bool:
    """Whether releases of other distributions are made for single releases of this one."""
    tables = here.tables.companions
    return name in tables or any(name in others for kept in tables.values() for others in kept.values())


def widened(pin: str, bounds: str) -> str | Refusal:
    """The pin with a higher upper bound; "" when the two meet already. An exact pin gives way to the bounds."""
    lower = next((version for sign, version in _PART.findall(bounds) if sign in (">=", ">", "~=", "==")), "")
    if not lower:
        return Refusal("a lower release is wanted, which may lack what the repository needs")
    parts = [(sign, version) for sign, version in _PART.findall(pin)]
    exact = next((version for sign, version in parts if sign in ("==", "===")), "")
    if exact:
        return _unpinned(exact, lower, bounds)
    if satisfied(_uppers(pin), lower):
        return ""
    new: list[str] = []
    for sign, version in parts:
        if sign == "~=":
            new += [f">={version}", f"<{_next(lower, version, len(version.split('.')) - 2)}"]
        elif sign in ("<", "<=") and not satisfied(f"{sign}{version}", lower):
            new.append(f"<{_next(lower, version, _leading(version))}")
        else:
            new.append(f"{sign}{version}")
    return ",".join(new)


def _unpinned(exact: str, lower: str, bounds: str) -> str | Refusal:
    """What the other package asks for in the place of an exact pin that it refuses, where that is a later release."""
    if satisfied(bounds, exact):
        return ""
    if "*" in exact or not satisfied(f">{exact}", lower):
        return Refusal("a lower release is wanted, which may lack what the repository needs")
    return bounds


def _uppers(pin: str) -> str:
    return ",".join(
        f"{sign}{version}" for sign, version in _PART.findall(pin) if sign in ("<", "<=", "==", "===", "~=")
    )


def _leading(version: str) -> int:
    """Where the last number that is not zero stands: that of the series that the bound ends."""
    numbers = _numbers(version)
    return max((at for at, number in enumerate(numbers) if number), default=0)


def _next(lower: str, like: str, at: int) -> str:
    """The end of the series of `lower`, counted at place `at`, written with as many numbers as `like`."""
    numbers = [*_numbers(lower), 0, 0, 0][: max(at + 1, 1)]
    numbers[-1] += 1
    return ".".join(str(number) for number in (*numbers, *[0] * (len(like.split(".")) - len(numbers))))


def _numbers(version: str) -> list[int]:
    found = [re.match(r"[0-9]+", part) for part in version.split(".")]
    return [int(one[0]) for one in found if one is not None]
