"""Checks of a run's metrics, "metric < bound": as the log prints them, and where a script holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from triage.fixes.refusal import Refusal

# A value farther from its bound than this part of the bound is no spread of green runs: something moved.
FARTHEST = Decimal("0.5")
# The new bound leaves this part of the miss as room behind the value, so that the next run does not miss it by a hair.
ROOM = Decimal("0.5")
# Two bounds that differ by more than this part of the larger one are not one that was moved.
_APART = Decimal("0.8")
_BOUND = r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,2})?"
_CHECK = re.compile(rf"(?P<metric>\S.*?)\s*(?P<sign><=|>=|<|>)\s*(?P<bound>{_BOUND})\Z")
_LONGEST = 400
# A table cuts a long word off like this and goes on after it in the next row.
_CUT = "\u2026"
_LEAST_SEEN, _MOST_CUT = 8, 120
# The number of a step, and the part of one that is left where the table cuts.
_STEP, _PART_OF_STEP = re.compile(r'(?<=")[0-9]+(?=")'), re.compile(r'(?<=")[0-9]+\Z')
# What counts failures is no measure that varies between green runs.
_FAILURES = re.compile(
    r"(?<![a-z])(?:errors|error_?(?:rate|ratio|count)|fail\w*|exit|nans?|infs?|missing|crash\w*|returncode)(?![a-z])",
    re.I,
)
# A whole bound counts errors; a fraction bounds how large an error is, as of a divergence.
_ERROR = re.compile(r"(?<![a-z])error(?![a-z])", re.I)


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
        counted = self.bound == self.bound.to_integral_value() and _ERROR.search(self.metric)
        if counted or _FAILURES.search(self.metric):
            return f"{value} is no noise: it counts what failed"
        # A measure that may fall by half holds nothing: the room behind the value counts too.
        if self.sign[0] == ">" and self.bound - Decimal(self.moved(value)) > FARTHEST * abs(self.bound):
            return f"{value} is far from it: a bound behind it would not be half of this one"
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

    def seen_as(self, metric: str, written: str) -> Check:
        """The same check as a script holds it: its whole metric, its bound there."""
        return replace(self, metric=metric.replace('\\"', '"'), bound=Decimal(written), written=written)

    def may_have_been(self, bound: str) -> bool:
        """Whether this bound is another one of the same check, not one of the same words in another script."""
        other = Decimal(bound)
        return abs(other - self.bound) <= _APART * max(abs(other), abs(self.bound))


def read_check(text: str, rest: str = "") -> Check | Refusal:
    """`rest` is what the next row of a table says of the check."""
    whole = f"{text.strip()} {rest.strip()}".strip()
    found = _CHECK.match(whole) if len(whole) <= _LONGEST else None
    if found is None or found["metric"].count(_CUT) > 1:
        return Refusal("the log does not show the check as a comparison with one bound")
    if _CUT in found["metric"] and found["metric"].index(_CUT) < _LEAST_SEEN:
        return Refusal("the log cuts the check's metric off too early")
    return Check(found["metric"], found["sign"], Decimal(found["bound"]), found["bound"])


def same_check(check: Check, text: str) -> Iterator[re.Match[str]]:
    """Where a text holds the check, whatever its bound: group `bound`, or `name` of the variable that holds it."""
    bound = rf"(?:(?P<bound>{_BOUND})(?![\w.])|\$\{{?(?P<name>[A-Za-z_]\w*)\}}?)"
    return re.finditer(rf"(?<![\w./:-])(?P<metric>{_like(check.metric)})\s*{check.sign}\s*{bound}", text)


def _like(metric: str) -> str:
    """A pattern for the metric as scripts write it: a step's number is often a variable there."""
    begin, cut, end = metric.partition(_CUT)
    if not cut:
        return _quoted(begin)
    return rf"{_quoted(_PART_OF_STEP.sub('', begin))}[^\n<>]{{1,{_MOST_CUT}}}?{_quoted(end)}"


def _quoted(text: str) -> str:
    # Inside double quotes the shell wants a backslash before a quote.
    parts = [re.escape(part).replace('"', r'\\?"') for part in _STEP.split(text)]
    steps = [rf"(?:{step}|\$\{{?\w+\}}?)" for step in _STEP.findall(text)]
    return "".join(f"{step}{part}" for step, part in zip(["", *steps], parts, strict=True))


@dataclass(frozen=True, slots=True)
class Spot:
    """The digits of a bound at character `start` of a script, and the check that it is the bound of."""

    start: int
    check: Check


def spots(check: Check, text: str) -> Iterator[Spot]:
    for found in same_check(check, text):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if re.match(r"\s*(?:#|:?\s*echo\b)", before) or " #" in before:
            continue  # what is only said
        if found["bound"]:
            yield Spot(found.start("bound"), check.seen_as(found["metric"], found["bound"]))
        else:
            line = rf"(?m)^[ \t]*(?:export[ \t]+)?{found['name']}=[\"']?(?P<bound>{_BOUND})[\"']?[ \t]*(?:#.*)?$"
            assigned = list(re.finditer(line, text))
            if len(assigned) == 1 and not _read_elsewhere(check, found["name"], text):
                yield Spot(assigned[0].start("bound"), check.seen_as(found["metric"], assigned[0]["bound"]))


def _read_elsewhere(check: Check, name: str, text: str) -> bool:
    """Whether the script reads the variable for more than this check: it may be more than a bound then."""
    read = re.findall(rf"\$(?:\{{{name}\b|{name}\b)", text)
    seen = [one for one in same_check(check, text) if one["name"] == name]
    return len(read) != len(seen)
