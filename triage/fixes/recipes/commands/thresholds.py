"""`move_threshold`: the bound of a check that a run missed by a little, moved so that this run passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.checks import Check, Spot, read_check, same_check, spots
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import shows
from triage.fixes.workflow.files import is_workflow
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import MoveThreshold

_SHELLS = (".sh", ".bash", ".yml", ".yaml", ".slurm", ".sbatch")


def move_threshold(recipe: MoveThreshold, here: Situation) -> Outcome:
    check = read_check(*(here.captures.get(name.strip("{}"), "") for name in (recipe.check, recipe.rest)))
    if isinstance(check, Refusal):
        return check
    value = decimal(here.captures.get(recipe.value.strip("{}"), ""))
    if value is None:
        return Refusal("the log shows no value of the check")
    if check.missed_by(value) <= 0:
        return Refusal(f"{value} does not fail `{check.metric} {check.sign} {check.written}`")
    every = {(one.site.key, one.at): one for one in _places(here, check)}
    places = [one for one in every.values() if one.check.written == check.written]
    if not places:
        return _in_place_or_elsewhere(recipe, here, check, value, list(every.values()))
    where = ", ".join(f"{one.site.path}:{one.site.line}" for one in places)
    if len(places) > 1:
        return Words(f"the check stands at {where}: move the bound where the run missed it")
    if firm := places[0].check.firm(value):
        return Words(f"{where} wants {check.sign} {check.written}, and {firm}")
    return _moved(here, places[0], value)


@dataclass(frozen=True, slots=True)
class _Place:
    """A check in a command of the job; its bound stands at byte `at` of the file, character `local` of the site."""

    one: Invocation
    site: Site
    at: int
    local: int
    check: Check


def _places(here: Situation, check: Check) -> Iterator[_Place]:
    for one in here.evaluation.invocations:
        for site in (site for word in one.argv for site in word.sites):
            held = here.tree.read(site.path)[site.start : site.end] if site.path in here.tree else b""
            if site.kind in (SiteKind.LITERAL, SiteKind.ASSIGN):
                for found in same_check(check, held.decode("utf-8", "replace")):
                    if found["bound"] is None:
                        continue
                    local = found.start("bound")
                    at = site.start + len(found.string[:local].encode())
                    yield _Place(one, site, at, local, check.seen_as(found["metric"], found["bound"]))


def _in_place_or_elsewhere(
    recipe: MoveThreshold, here: Situation, check: Check, value: Decimal, others: Sequence[_Place]
) -> Outcome:
    holding = _holding(here, check)
    named = [recipe.settled] if recipe.settled in holding else [p for p in holding if shows(here.facts.commands, p)]
    shown = {path: holding[path] for path in named}
    allowing = [(f"{one.site.path}:{one.site.line}", one.check) for one in others]
    for where, other in (*allowing, *((path, spot.check) for path, found in shown.items() for spot in found)):
        if other.missed_by(value) <= 0 and check.may_have_been(other.written):
            return InPlace(f"{where} allows {value} already: {check.sign} {other.written}")
    same = _with_bound(holding, check)
    # The one place that could have printed it needs no further proof.
    seen = [path for path in same if path in shown] or same
    # What a workflow runs is seen: a check that stands in one and was not is another job's.
    firm = check.firm(value)
    if len(seen) == 1 and not is_workflow(seen[0]) and not firm:
        made = _in_script(here, seen[0], check, value)
        return replace(made, settled=replace(recipe, settled=seen[0])) if isinstance(made, Edited) else made
    if not same:
        return Refusal(f"no command of {here.job.id} holds the check of {check.metric}", here.job.path, here.job.line)
    said = f"{check.sign} {check.written} is wanted, and {firm}" if firm else "the job is not seen to run it"
    return Words(f"the check stands in {', '.join(same[:5])}: {said}")


def _moved(here: Situation, place: _Place, value: Decimal) -> Edited:
    check, path = place.check, place.site.path
    new = check.moved(value)
    edit = Edit(path, place.at, place.at + len(check.written), new.encode(), f"this run reached {value}")
    whole = here.tree.read(path)[place.site.start : place.site.end].decode("utf-8", "replace")
    after = whole[: place.local] + new + whole[place.local + len(check.written) :]
    others = [other for other in _with_bound(_holding(here, check), check) if other != path]
    promise = Expectation("argument", after, here.target.job, here.target.workflow_path, "", place.one.step)
    return Edited(
        (edit,),
        (declared_at(here, path, place.one.step),),
        (promise,),
        notes=tuple(f"{other} has the same check" for other in others[:5]),
        costs=("the check lets more through than before",),
        blast_radius=blast_radius(here, (place.site,)),
        title=check.title(new),
    )


def _with_bound(holding: Mapping[str, Sequence[Spot]], check: Check) -> list[str]:
    """The scripts in which the check has its very bound."""
    return [path for path, found in holding.items() if any(one.check.written == check.written for one in found)]


def _in_script(here: Situation, path: str, check: Check, value: Decimal) -> Outcome:
    """In the one script that has the check, although the workflow does not lead there."""
    text = here.tree.read(path).decode("utf-8", "replace")
    found = {one.start: one for one in spots(check, text) if one.check.written == check.written}
    if len(found) != 1:
        return Words(f"the check stands in {path} more than once: move the bound where the run missed it")
    spot = next(iter(found.values()))
    if firm := spot.check.firm(value):
        return Words(f"{path} wants {check.sign} {check.written}, and {firm}")
    new, end = spot.check.moved(value), spot.start + len(check.written)
    at = len(text[: spot.start].encode())
    edit = Edit(path, at, at + len(check.written), new.encode(), f"this run reached {value}")
    after = text[: spot.start] + new + text[end:]
    line = after.splitlines()[text[: spot.start].count("\n")]
    return Edited(
        (edit,),
        (declared_at(here, path, 0),),
        (Expectation("line", as_promised(line), "", path),),
        notes=(f"{path} is the script with this check that the log shows; the workflow does not show what starts it",),
        title=spot.check.title(new),
    )


def _holding(here: Situation, check: Check) -> dict[str, list[Spot]]:
    """The scripts of the tree that hold the check, with its bounds there."""
    scripts = (path for path in here.tree.paths() if path.endswith(_SHELLS))
    texts = ((path, here.tree.read(path).decode("utf-8", "replace")) for path in scripts)
    held = ((path, list(spots(check, text))) for path, text in texts)
    return {path: found for path, found in held if found}
