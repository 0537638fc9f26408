"""`hold_moved`: of the packages whose code a failure went through, the one that came in anew is held back.

A traceback says between which packages something does not fit, never which of them moved. What the tree lets float may
have moved; what it holds has not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from triage.fixes.recipes.builds.dockerfiles import dockerfiles, in_dockerfile
from triage.fixes.recipes.dependencies.declarations import Declaration
from triage.fixes.recipes.dependencies.holding import open_above
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.known_names import outgrown
from triage.fixes.recipes.dependencies.moving import named_by_job
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.dependencies.reaching import reaching
from triage.fixes.recipes.dependencies.sibling_files import pin_beside
from triage.fixes.recipes.dependencies.sourcing import hold_source
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, distributions, is_module_of, normalised
from triage.model.recipe import INSTALLED, HoldMoved, PipPin

# PyTorch's wheels require one release of Triton exactly.
_COMES_WITH = {"triton": "torch"}
_KEPT_OUT = f"<{{{INSTALLED}}}"
# Files of Python that are read to look for a name.
_MOST = 4000
_FIRST_OF_SERIES = re.compile(r"[0-9]+\.[0-9]+(?:\.0)?(?:(?:a|b|rc)[0-9]+)?(?:\+[\w.]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A distribution of the traceback. `named` is what the job's installs say of it, `listed` the release that the log
    lists, "" for none."""

    name: str
    listed: str
    named: tuple[Named, ...]

    @property
    def held(self) -> bool:
        """Whether the tree keeps new releases out, itself or through what brings it."""
        if not self.named:
            return self.name in _COMES_WITH
        return not all(open_above(one.pin, f"<{self.listed}" if self.listed else "") for one in self.named)

    @property
    def begins_a_series(self) -> bool:
        return _FIRST_OF_SERIES.fullmatch(self.listed) is not None

    @property
    def place(self) -> str:
        """Where the tree leaves it open, in words."""
        if not self.named:
            return f"nothing holds {self.name}"
        return f"{self.named[0].path}:{self.named[0].line} leaves it open (`{self.named[0].spec}`)"


def hold_moved(_recipe: HoldMoved, here: Situation) -> Outcome:
    names = _names(here)
    if not names:
        return Refusal("the failure does not end in the code of an installed package")
    from_source = {name: made for name in names if (made := hold_source(here, name)) is not None}
    for name, made in from_source.items():
        if isinstance(made, Edited):
            return replace(made, settled=made.settled or PipPin(name, _KEPT_OUT))
        if not isinstance(made, InPlace):
            return made
    if (known := _outgrown(here)) is not None:
        return known
    done = reaching(here, installs(here.evaluation.invocations))
    suspects = [_suspect(here, done, name) for name in names]
    free = [one for one in suspects if not one.held]
    if (wrapped := _wrapped_anew(here, done, suspects)) is not None:
        return wrapped
    if not free:
        said = ", ".join(f"{one.name} {one.listed}".strip() for one in suspects)
        standing = next(iter(from_source.values()), None)
        return standing or Refusal(f"the repository holds {said}: something else moved")
    lacking = _demanded_anew(here)
    made = _held_back(here, free, alone=len(suspects) == 1 and not lacking)
    if not lacking or not isinstance(made, Edited):
        return made
    return made.noting(
        f"nothing in the repository says `{lacking}`: where the change under test took it away, undo that"
    )


def _wrapped_anew(here: Situation, done: Sequence[Install], suspects: Sequence[Suspect]) -> Outcome | None:
    """What an install of the job moved to a newer release, and a part of the failing package has its name: the package
    wraps it. None where the package came in anew itself, or the log shows no such one."""
    brought = here.facts.brought or frozenset()
    if any(one.name in brought for one in suspects[:1]):
        return None
    newer = [one for one in here.facts.replaced if not satisfied(f"<={one.old}", one.new)]
    moved = [one for one in newer if one.name in here.facts.parts and one.name not in {each.name for each in suspects}]
    if len(moved) != 1 or _suspect(here, done, moved[0].name).held:
        return None
    name, chosen = moved[0].name, PipPin(moved[0].name, _KEPT_OUT)
    made = pip_pin(chosen, here)
    said = f"an install of the job moved {name} from {moved[0].old} to {moved[0].new}, and {suspects[0].name} wraps it"
    if not isinstance(made, Edited):
        return made if isinstance(made, InPlace) else Words(f"{said}: hold it at `<{moved[0].new}`")
    return replace(made.noting(said), settled=made.settled or PipPin(name, f"<{moved[0].new}"))


def _outgrown(here: Situation) -> Outcome | None:
    """The called package, where it is known since which release it refuses the argument: no frame shows its code."""
    argument = here.captures.get("argument", "") or here.captures.get("missing", "")
    known = outgrown(here, here.captures.get("callable", ""), argument)
    if known is None:
        return None
    name, release = known
    chosen = PipPin(name, f"<{release}")
    made = pip_pin(chosen, here)
    if not isinstance(made, Edited):
        return made if isinstance(made, InPlace) else None
    said = f"since {release}, {name} no longer takes the call"
    title = made.title or f"Hold {name} at `<{release}`"
    return replace(made.noting(said), title=title, settled=made.settled or chosen)


def _demanded_anew(here: Situation) -> str:
    """The name, "" for none, that the package asks a class of the repository for, or hands it as an argument, and that
    stands nowhere in the repository: no call of its own can be wrong then, the package asks for more than it did."""
    owner, lacking = (here.captures.get(one, "") or here.captures.get(f"{one}2", "") for one in ("owner", "lacking"))
    if not owner or not lacking or lacking.startswith("__"):
        return ""
    defined = re.compile(rb"^[ \t]*class[ \t]+" + re.escape(owner.encode()) + rb"\b", re.M)
    python = [path for path in here.tree.paths() if path.endswith(".py")]
    if len(python) > _MOST or not any(defined.search(here.tree.read(path)) for path in python):
        return ""
    return "" if any(lacking.encode() in here.tree.read(path) for path in python) else lacking


def _names(here: Situation) -> tuple[str, ...]:
    """Distributions, the innermost first. Of several that provide a module, the one that the log lists."""
    foreign = (module for module in here.facts.packages if not is_module_of(here.tree, module))
    provided = (distributions(module, here.tables) for module in foreign)
    return tuple(
        dict.fromkeys(
            next((name for name in names if name in here.facts.installed), names[0]) for names in provided if names
        )
    )


def _suspect(here: Situation, done: Sequence[Install], name: str) -> Suspect:
    wanted = normalised(name)
    built = [one for path in dockerfiles(here) for one in in_dockerfile(here.tree, path, wanted)]
    named = (*named_by_job(here, done, wanted), *(one.named for one in built if isinstance(one, Declaration)))
    return Suspect(wanted, here.facts.installed.get(wanted, ""), named)


def _held_back(here: Situation, free: Sequence[Suspect], *, alone: bool) -> Outcome:
    """`alone`: the repository's own code called it, so that the call itself may be wrong."""
    chosen = _chosen(free)
    if chosen is None:
        said = "; ".join(f"{one.name} {one.listed}: {one.place}" for one in free)
        return Words(f"nothing says which of them moved: {said}. Hold the one that the last green run had older")
    if not chosen.listed:
        unknown = f"the log does not list {chosen.name}"
        return Words(f"{chosen.place}, and {unknown}: hold it below the release that broke this")
    if alone and not chosen.begins_a_series and not _older_beside(here, chosen):
        return Words(
            f"{chosen.name} {chosen.listed} raised it, and {chosen.place}: where the last green run had an older one, "
            f"hold it at `<{chosen.listed}`"
        )
    if not chosen.named and not knows_distribution(here.tree, here.tables, chosen.name):
        meant = "where the job is meant to have it"
        return Words(f"only the log names {chosen.name}: {meant}, hold it below {chosen.listed}")
    made = pip_pin(PipPin(chosen.name, _KEPT_OUT), here)
    if not isinstance(made, Edited):
        return made
    others = [f"{one.name} {one.listed}".strip() for one in free if one is not chosen]
    noted = made.noting(f"{', '.join(others)} may have moved as well" if others else "")
    return replace(noted, settled=made.settled or PipPin(chosen.name, f"<{chosen.listed}"))


def _older_beside(here: Situation, one: Suspect) -> bool:
    """Whether a list beside the one that leaves it open, or a lock made for that, holds an older release."""
    return any(pin_beside(here.tree, named.path, one.name, f"<{one.listed}")[0] for named in one.named)


def _chosen(free: Sequence[Suspect]) -> Suspect | None:
    """The only one; the innermost, where it alone is asked for by name; else the only one whose release begins a
    series, which is the likelier to be new. None where that does not tell them apart."""
    asked_for = [one for one in free if one.named]
    if len(free) == 1 or asked_for == [free[0]]:
        return free[0]
    new = [one for one in free if one.begins_a_series]
    return new[0] if len(new) == 1 else None
