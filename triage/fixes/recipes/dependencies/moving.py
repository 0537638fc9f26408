"""What moved by itself: whether the tree lets a distribution float, what came with the image, what to go back to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.recipes.dependencies.declarations import Declaration, declarations
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.sources import built, clones, fixed
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import Named, in_file, naming, normalised

_FROM_BELOW = re.compile(r"(?:>=|~=|===?|(?<![<~=!])>) *([0-9][\w.]*)")
_LOWER = re.compile(r">=\s*([0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?)\s*\Z")
_HOLDS = ("<", "==", "~=", "===")
_QUIET = ("-q", "-qq", "-qqq", "--quiet")


def named_by_job(here: Situation, done: Sequence[Install], name: str) -> tuple[Named, ...]:
    """Every requirement on the distribution that the job's installs read: commands, files, projects."""
    wanted = normalised(name)
    found = [named for one in done for named, _ in one.named if named.name == wanted]
    for path in dict.fromkeys(path for one in done for path in (*one.files, *one.constraints)):
        found += naming(in_file(here.tree, path), (wanted,))
    return (*found, *_declared(here, done, wanted))


def _declared(here: Situation, done: Sequence[Install], wanted: str) -> Iterator[Named]:
    for project in projects(here, done):
        for one in declarations(here.tree, project.folder, wanted):
            if isinstance(one, Declaration) and one.comes_with(project.chosen):
                yield one.named


def floats(here: Situation, done: Sequence[Install], name: str) -> bool:
    """Whether the job takes the newest release, or the newest commit, because nothing bounds it from above."""
    named = named_by_job(here, done, name)
    if named and not any(sign in one.pin for one in named for sign in _HOLDS):
        return True
    held = [one.held for one in clones(here, name)] + [one.held for one in built(here, name)]
    return any(not fixed(revision) for revision in held)


def asked_above(here: Situation, done: Sequence[Install], name: str, spec: str) -> Named | None:
    """The requirement of the job that no release below `spec`, an upper bound, satisfies; None where all may."""
    return next((one for one in named_by_job(here, done, name) if asks_above(one.pin, spec)), None)


def asks_above(pin: str, spec: str) -> bool:
    """Whether no release below `spec`, an upper bound, satisfies the requirement."""
    return any(not satisfied(spec, release) for release in _FROM_BELOW.findall(pin.partition(";")[0]))


def is_private(module: str) -> bool:
    """Whether part of a dotted module's name begins with an underscore: what it holds is promised to nobody."""
    return any(part.startswith("_") and not part.startswith("__") for part in module.split("."))


def came_before(here: Situation, done: Sequence[Install], name: str) -> bool:
    """Whether the log lists the distribution and none of the job's installs brought it: its image did.

    Installs that say nothing leave it open; so does a log without any list.
    """
    wanted, brought = normalised(name), here.facts.brought
    if here.image or brought is None or not here.facts.installed.get(wanted) or wanted in brought:
        return False
    return not any(flag in _QUIET for one in done for flag in one.flags)


def oldest_asked_for(here: Situation, done: Sequence[Install], name: str) -> str:
    """`==L`, where all that the job installs says `>=L` and nothing above it; "" otherwise."""
    bounds = {_LOWER.match(one.pin) for one in named_by_job(here, done, name)}
    releases = {found[1] if found else "" for found in bounds}
    return f"=={releases.pop()}" if len(releases) == 1 and "" not in releases else ""


def overruled_bound(here: Situation, done: Sequence[Install], name: str, spec: str) -> str:
    """The bound of a command or a requirements file that the installed release is not within, because an install that
    came later moved it; "" where there is none, or where the last install reads the bound itself.

    A bound that already says `spec` is none: then the tree has the fix, and the log was written without it.
    """
    wanted, brought = normalised(name), here.facts.brought
    # What no install of the job brought was listed before they ran.
    listed = here.facts.installed.get(wanted, "") if brought is None or wanted in brought else ""
    asked = [(at, named) for at, one in enumerate(done) for named in _asked(here, one, wanted)]
    broken = {named.pin.replace(" ", "") for _, named in asked if listed and not satisfied(named.pin, listed)}
    last = max((at for at, _ in asked), default=len(done))
    later = any(one.named or one.files or one.places for one in done[last + 1 :])
    bound = broken.pop() if len(broken) == 1 and later else ""
    fixed_already = set(spec.replace(" ", "").split(",")) <= set(bound.split(","))
    return "" if fixed_already or "://" in bound else bound


def _asked(here: Situation, one: Install, wanted: str) -> Iterator[Named]:
    yield from (named for named, _ in one.named if named.name == wanted)
    for path in one.files:
        yield from naming(in_file(here.tree, path), (wanted,))
