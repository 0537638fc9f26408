"""`pip_widen`: an upper bound of the repository that shuts out what another package asks for, moved just past it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.declarations import Declaration, declarations, in_requirements
from triage.fixes.recipes.declaring import rewritten
from triage.fixes.recipes.holding import BOUNDS
from triage.fixes.recipes.installs import Install, installs
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.projects import projects
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.versions import satisfied
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.model.recipe import PipWiden

_PART = re.compile(r"(===?|!=|<=|>=|~=|<|>)\s*([\w.*+!-]+)")


def pip_widen(recipe: PipWiden, here: Situation) -> Outcome:
    name, bounds = here.fill(recipe.distribution, select=True), here.captures.get(recipe.bounds.strip("{}"), "")
    if isinstance(name, Refusal):
        return name
    if not BOUNDS.fullmatch(bounds.replace(" ", "")):
        return Refusal(f"the log names no bounds of {name}")
    found = [*_places(here, installs(here.evaluation.invocations), normalised(name))]
    if not found:
        return Refusal(f"nothing that {here.job.id} installs names {name}")
    outcomes = [_widened(here, one, bounds.replace(" ", "")) for one in found]
    closed = [one for one in outcomes if not isinstance(one, InPlace)]
    return together(closed) if closed else outcomes[0]


def _places(here: Situation, done: Sequence[Install], wanted: str) -> Iterator[Declaration | Refusal]:
    for path in dict.fromkeys(path for one in done for path in (*one.files, *one.constraints)):
        yield from in_requirements(here.tree, path, wanted)
    for project in projects(here, done):
        for one in declarations(here.tree, project.folder, wanted):
            if isinstance(one, Refusal) or one.comes_with(project.chosen):
                yield one


def _widened(here: Situation, one: Declaration | Refusal, bounds: str) -> Outcome:
    if isinstance(one, Refusal):
        return one
    where = f"{one.path}:{one.named.line}"
    spec = widened(one.named.pin, bounds)
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


def widened(pin: str, bounds: str) -> str | Refusal:
    """The pin with a higher upper bound; "" when the two meet already. Only upper bounds move, and no exact pin."""
    lower = next((version for sign, version in _PART.findall(bounds) if sign in (">=", ">", "~=", "==")), "")
    if not lower:
        return Refusal("a lower release is wanted, which may lack what the repository needs")
    if satisfied(_uppers(pin), lower):
        return ""
    parts = [(sign, version) for sign, version in _PART.findall(pin)]
    if any(sign in ("==", "===") for sign, _ in parts):
        return Refusal("it is pinned, and which release serves both is not known")
    new: list[str] = []
    for sign, version in parts:
        if sign == "~=":
            new += [f">={version}", f"<{_next(lower, version, len(version.split('.')) - 2)}"]
        elif sign in ("<", "<=") and not satisfied(f"{sign}{version}", lower):
            new.append(f"<{_next(lower, version, _leading(version))}")
        else:
            new.append(f"{sign}{version}")
    return ",".join(new)


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
    found = [re.match(r"\d+", part) for part in version.split(".")]
    return [int(one[0]) for one in found if one is not None]
