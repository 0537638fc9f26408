"""`move_threshold`: the bound of a check that a run missed by a little, moved so that this run passes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import is_workflow
from triage.fixes.whereabouts.naming import shows
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import MoveThreshold

# A value farther from its bound than this part of the bound is no spread of green runs: something moved.
FARTHEST = Decimal("0.5")
# The new bound leaves this part of the miss as room behind the value, so that the next run does not miss it by a hair.
ROOM = Decimal("0.5")
_BOUND = r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,2})?"
_CHECK = re.compile(rf"(?P<metric>\S.*?)\s*(?P<sign><=|>=|<|>)\s*(?P<bound>{_BOUND})\Z")
_LONGEST = 400
# What counts failures is no measure that varies between green runs.
_FAILURES = re.compile(r"(?<![a-z])(?:errors?|fail\w*|exit|nans?|infs?|missing|crash\w*|returncode)(?![a-z])", re.I)
_SHELLS = (".sh", ".bash", ".yml", ".yaml", ".slurm", ".sbatch")


@dataclass(frozen=True, slots=True)
class Check:
    """`metric sign bound`, as in `mean(data["loss"]) < 0.1`."""

    metric: str
    sign: str
    bound: Decimal
    written: str  # the bound's digits as they stand

    def missed_by(self, value: Decimal) -> Decimal:
        """How far the value lies on the wrong side of the bound; not above 0 where it passes."""
        miss = value - self.bound if self.sign[0] == "<" else self.bound - value
        return miss if miss or len(self.sign) == 2 else Decimal("1e-9")

    def firm(self, value: Decimal) -> str:
        """Why the bound is not to move to behind the value; "" where it may."""
        if self.missed_by(value) > FARTHEST * abs(self.bound):
            return f"{value} is far from it: no noise explains that"
        if _FAILURES.search(self.metric):
            return f"{value} is no noise: it counts what failed"
        if Decimal(self.moved(value)) * self.bound <= 0:
            return f"a bound behind {value} would let everything through"
        return ""

    def moved(self, value: Decimal) -> str:
        """The bound behind the value with some room, rounded away from it to the first digit of the miss."""
        up = self.sign[0] == "<"
        miss = self.missed_by(value)
        aim = value + miss * ROOM if up else value - miss * ROOM
        whole = "." not in self.written and "e" not in self.written
        step = Decimal(1).scaleb(max(miss.adjusted(), 0) if whole else miss.adjusted())
        rounded = (aim / step).to_integral_value(ROUND_CEILING if up else ROUND_FLOOR) * step
        return format(rounded if whole else rounded.normalize(), "f")

    def title(self, new: str) -> str:
        return f"Move the bound of {self.metric} from {self.written} to {new}"


def read_check(text: str) -> Check | Refusal:
    found = _CHECK.match(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        return Refusal("the log does not show the check as a comparison with one bound")
    return Check(found["metric"], found["sign"], Decimal(found["bound"]), found["bound"])


def move_threshold(recipe: MoveThreshold, here: Situation) -> Outcome:
    check = read_check(here.captures.get(recipe.check.strip("{}"), ""))
    if isinstance(check, Refusal):
        return check
    value = decimal(here.captures.get(recipe.value.strip("{}"), ""))
    if value is None:
        return Refusal("the log shows no value of the check")
    if check.missed_by(value) <= 0:
        return Refusal(f"{value} does not fail `{check.metric} {check.sign} {check.written}`")
    every = {(one.site.key, one.at): one for one in _places(here, check)}
    places = [one for one in every.values() if one.written == check.written]
    if not places:
        return _in_place_or_elsewhere(recipe, here, check, value, list(every.values()))
    where = ", ".join(f"{one.site.path}:{one.site.line}" for one in places)
    if len(places) > 1:
        return Words(f"the check stands at {where}: move the bound where the run missed it")
    if firm := check.firm(value):
        return Words(f"{where} wants {check.sign} {check.written}, and {firm}")
    return _moved(here, places[0], check, value)


@dataclass(frozen=True, slots=True)
class _Place:
    """A check in a command of the job. Its bound is `written` at byte `at` of the file, `local` of the site's text."""

    one: Invocation
    site: Site
    at: int
    local: int
    written: str


def _places(here: Situation, check: Check) -> Iterator[_Place]:
    for one in here.evaluation.invocations:
        for site in (site for word in one.argv for site in word.sites):
            held = here.tree.read(site.path)[site.start : site.end] if site.path in here.tree else b""
            if site.kind in (SiteKind.LITERAL, SiteKind.ASSIGN):
                for found in _same_check(check, held.decode("utf-8", "replace")):
                    if found["bound"] is None:
                        continue
                    local = found.start("bound")
                    at = site.start + len(found.string[:local].encode())
                    yield _Place(one, site, at, local, found["bound"])


def _same_check(check: Check, text: str) -> Iterator[re.Match[str]]:
    """Where a text holds the check, whatever its bound: group `bound`, or `name` of the variable that holds it."""
    # Inside double quotes the shell wants a backslash before a quote, and a step's number is often a variable.
    parts = [re.escape(part).replace('"', r'\\?"') for part in re.split(r'(?<=")[0-9]+(?=")', check.metric)]
    metric = r"(?:[0-9]+|\$\{?\w+\}?)".join(parts)
    bound = rf"(?:(?P<bound>{_BOUND})(?![\w.])|\$\{{?(?P<name>[A-Za-z_]\w*)\}}?)"
    return re.finditer(rf"(?<![\w./]){metric}\s*{check.sign}\s*{bound}", text)


@dataclass(frozen=True, slots=True)
class _Spot:
    """The digits of a bound at character `start` of a script."""

    start: int
    written: str


def _spots(check: Check, text: str) -> Iterator[_Spot]:
    for found in _same_check(check, text):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if re.match(r"\s*(?:#|:?\s*echo\b)", before) or " #" in before:
            continue  # what is only said
        if found["bound"]:
            yield _Spot(found.start("bound"), found["bound"])
        else:
            line = rf"(?m)^[ \t]*(?:export[ \t]+)?{found['name']}=[\"']?(?P<bound>{_BOUND})[\"']?[ \t]*(?:#.*)?$"
            assigned = list(re.finditer(line, text))
            yield from (_Spot(one.start("bound"), one["bound"]) for one in assigned if len(assigned) == 1)


def _in_place_or_elsewhere(
    recipe: MoveThreshold, here: Situation, check: Check, value: Decimal, others: Sequence[_Place]
) -> Outcome:
    holding = _holding(here, check)
    named = [recipe.settled] if recipe.settled in holding else [p for p in holding if shows(here.facts.commands, p)]
    shown = {path: holding[path] for path in named}
    bounds = [(f"{one.site.path}:{one.site.line}", one.written) for one in others]
    for where, bound in (*bounds, *((path, one.written) for path, spots in shown.items() for one in spots)):
        if replace(check, bound=Decimal(bound)).missed_by(value) <= 0:
            return InPlace(f"{where} allows {value} already: {check.sign} {bound}")
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


def _moved(here: Situation, place: _Place, check: Check, value: Decimal) -> Edited:
    new, path = check.moved(value), place.site.path
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


def _with_bound(holding: Mapping[str, Sequence[_Spot]], check: Check) -> list[str]:
    """The scripts in which the check has its very bound."""
    return [path for path, spots in holding.items() if any(one.written == check.written for one in spots)]


def _in_script(here: Situation, path: str, check: Check, value: Decimal) -> Outcome:
    """In the one script that has the check, although the workflow does not lead there."""
    text = here.tree.read(path).decode("utf-8", "replace")
    found = dict.fromkeys(one for one in _spots(check, text) if one.written == check.written)
    if len(found) != 1:
        return Words(f"the check stands in {path} more than once: move the bound where the run missed it")
    spot, new = next(iter(found)), check.moved(value)
    at = len(text[: spot.start].encode())
    edit = Edit(path, at, at + len(spot.written), new.encode(), f"this run reached {value}")
    after = text[: spot.start] + new + text[spot.start + len(spot.written) :]
    line = after.splitlines()[text[: spot.start].count("\n")]
    return Edited(
        (edit,),
        (declared_at(here, path, 0),),
        (Expectation("line", as_promised(line), "", path),),
        notes=(f"{path} is the script with this check that the log shows; the workflow does not show what starts it",),
        title=check.title(new),
    )


def _holding(here: Situation, check: Check) -> dict[str, list[_Spot]]:
    """The scripts of the tree that hold the check, with its bounds there."""
    scripts = (path for path in here.tree.paths() if path.endswith(_SHELLS))
    texts = ((path, here.tree.read(path).decode("utf-8", "replace")) for path in scripts)
    found = ((path, list(_spots(check, text))) for path, text in texts)
    return {path: spots for path, spots in found if spots}
