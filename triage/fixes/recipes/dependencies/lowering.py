"""A lower bound that no release for the Python of the job meets, though the project says that it is for that Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_end
from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.dependencies.declarations import Declaration
from triage.fixes.recipes.dependencies.declaring import rewritten
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named

_EXCLUDED = re.compile(r"([0-9]+(?:\.[0-9]+)*) Requires-Python >=\s*3\.([0-9]{1,2})", re.ASCII)
_FINAL = re.compile(r"[0-9]+(?:\.[0-9]+)*", re.ASCII)
_LEAST = re.compile(r">=\s*([0-9]+(?:\.[0-9]+)*)(?=\s*(?:,|\Z))", re.ASCII)
_DECLARED = re.compile(rb"\b(?:requires-python|python_requires)[ \t]*=[ \t]*[\"']?[ \t]*>=[ \t]*3\.([0-9]{1,2})")
_MARKED = re.compile(rb";[^\n]*\bpython_version\s*>=\s*[\"']3\.([0-9]{1,2})[\"']")


def lowered(
    here: Situation, asked: Named, listed: Sequence[str], excluded: str, held: Sequence[Declaration]
) -> Outcome:
    """`held` is where the repository asks for it, `excluded` what pip says of releases for other Pythons.

    Refused where the bound is not the repository's own, and where nothing says which Python the project is for.
    """
    needed = min((int(minor) for release, minor in _EXCLUDED.findall(excluded) if satisfied(asked.pin, release)),
                 default=0)  # fmt: skip
    mine = [one for one in held if _bounds(one.named) == _bounds(asked) and not _for_newer(here, one, needed)]
    release = _newest(listed)
    least = _LEAST.findall(asked.pin)
    met = next((one for one in held if release and not mine and satisfied(one.named.pin, release)), None)
    if met is not None:
        return InPlace(f"{met.path}:{met.named.line} asks for {met.named.spec}, and the index has {release}")
    if not mine or not needed or len(least) != 1 or not release or satisfied(asked.pin, release):
        return Refusal("what the index does not have is no exact version")
    where = ", ".join(dict.fromkeys(f"{one.path}:{one.named.line}" for one in mine))
    said = f"{where} asks for {asked.spec}, and of {asked.written} the newest for this Python is {release}"
    declared = _declared(here)
    if not 0 < declared < needed:
        return Words(f"{said}: run the job with Python 3.{needed} or newer, or lower the bound")
    why = f"the project is for Python 3.{declared} and newer, for which {release} is the newest of {asked.written}"
    made = together([rewritten(here, one, _LEAST.sub(f">={release}", one.named.pin), why) for one in mine])
    if not isinstance(made, Edited):
        return made
    note = f"not checked: that {release} has what {asked.spec} was wanted for"
    return replace(
        made.noting(note), title=f"Ask for {asked.written}>={release}", because=f"{why[0].upper()}{why[1:]}."
    )


def _bounds(named: Named) -> set[str]:
    """pip sorts them anew."""
    return {part.strip() for part in named.pin.split(",")}


def _for_newer(here: Situation, one: Declaration, needed: int) -> bool:
    """Whether a marker says that it is for Pythons alone that have what it asks for."""
    data = here.tree.read(one.path)
    found = _MARKED.search(data, one.start, line_end(data, one.start))
    return found is not None and int(found[1]) >= needed


def _newest(listed: Sequence[str]) -> str:
    final = [one.strip() for one in listed if _FINAL.fullmatch(one.strip())]
    return max(final, key=lambda one: [int(part) for part in one.split(".")], default="")


def _declared(here: Situation) -> int:
    """The second number of the least Python 3 that the project declares; 0 where no file of it says so."""
    found = [int(one) for path in MANIFESTS if path in here.tree for one in _DECLARED.findall(here.tree.read(path))]
    return min(found, default=0)
