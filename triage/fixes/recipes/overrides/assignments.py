"""`effective_value` where a launcher reads the value out of a script: `NUM_MINUTES=240`, `#SBATCH --time=04:00:00`.

No evaluation leads from such a line to the scheduler, so only scripts that the job's commands name are looked at, and
what the log shows of the submission is all the proof that there is.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from triage.fixes.document import line_of, line_with
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal, new_value
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import SCRIPTS, named_files, shows
from triage.interfaces import Tree
from triage.model.diagnosis import Progress
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import EffectiveValue

_CLOCK = re.compile(
    r"(?:(?P<days>[0-9]{1,3})-)?(?P<hours>[0-9]{1,4}):(?P<minutes>[0-9]{1,2})(?::(?P<seconds>[0-9]{1,2}))?\Z"
)
# A submission that says its own time.
_SUBMITTED = re.compile(r"\bsbatch\b[^\n;|]{0,400}?\s(?:--time[= ]|-t ?)[^\s-]")
_DAY, _HOUR = 24 * 60, 60
# So many scripts that ask for one figure, and so many times as many as ask for more, have met a limit.
_MANY, _SHARE = 6, 3


@dataclass(frozen=True, slots=True)
class Assignment:
    """`start`..`end` are the bytes of the value in `path`; `head` is the line up to it."""

    path: str
    start: int
    end: int
    line: int
    head: str
    text: str

    @property
    def name(self) -> str:
        return self.head.strip().rstrip("=:\"' ").removeprefix("export ")

    @property
    def minutes(self) -> str:
        return in_minutes(self.text)

    def written(self, minutes: str) -> str:
        """Minutes as this place writes them."""
        if not _CLOCK.match(self.text):
            return minutes
        hours, rest = divmod(int(minutes), _HOUR)
        days, hours = divmod(hours, _DAY // _HOUR) if "-" in self.text else (0, hours)
        clock = f"{hours:02}:{rest:02}:00" if self.text.count(":") > 1 else f"{hours:02}:{rest:02}"
        return f"{days}-{clock}" if "-" in self.text else clock


def in_minutes(text: str) -> str:
    """Of a clock; what is none stands as it is."""
    found = _CLOCK.match(text)
    if found is None:
        return text
    parts = {name: int(number or 0) for name, number in found.groupdict().items()}
    return str(parts["days"] * _DAY + parts["hours"] * _HOUR + parts["minutes"])


def assignment_value(recipe: EffectiveValue, here: Situation, names: Sequence[str]) -> Outcome:
    """The one assignment of one of these names in the scripts that the job's commands name."""
    names = in_effect(here, names)
    found = [one for path in scripts_of(here, names) for one in assignments(here.tree, path, names)]
    if not found:
        return Refusal(f"no script that {here.job.id} names sets {' or '.join(names)}", here.job.path, here.job.line)
    if len(found) > 1:
        places = ", ".join(f"{one.path}:{one.line}" for one in found[:4])
        return Refusal(f"{found[0].name} is set at several places ({places}), and the log does not say which counts")
    return changed(recipe, here, found[0], _of_siblings(here.tree, found[0], names))


def changed(recipe: EffectiveValue, here: Situation, one: Assignment, siblings: Sequence[int]) -> Outcome:
    """`siblings` are the minutes that others beside it ask for: so much the cluster is known to grant."""
    if recipe.below:
        lower = [each for each in siblings if each < (whole(one.minutes) or 0)]
        if not lower:
            return Refusal(f"no script beside {one.path} sets {one.name} lower than {one.text}", one.path, one.line)
        recipe = replace(recipe, to=str(max(lower)), below="")
    if decimal(recipe.factor or "1") != 1 and not recipe.at_most:
        recipe = replace(recipe, at_most=str(max(_granted(siblings), whole(one.minutes) or 0)))
    wanted = new_value(recipe, one.minutes, lambda _value: "")
    progress = here.facts.progress
    if (
        recipe.factor
        and isinstance(wanted, str)
        and progress is not None
        and (enough := _enough(here, progress, one.minutes, wanted))
    ):
        if enough > (whole(recipe.at_most) or 0):
            said = f"{progress.done} of {progress.total} steps took {one.minutes}, so that all take up to {enough}"
            return Refusal(f"{wanted} minutes are not enough either: {said}", one.path, one.line)
        wanted = str(enough)
    if wanted is None:
        return InPlace(f"{one.name} is already `{one.text}` ({one.path}:{one.line}){_bound(recipe)}")
    if isinstance(wanted, Refusal):
        return Refusal(f"{one.name}: {wanted.reason}", one.path, one.line)
    text = one.written(_in_fives(wanted, recipe) if recipe.factor and one.minutes != one.text else wanted)
    why = f"{one.name} is {one.text} in the script that the job names; it becomes {text}"
    whole_line = line_with(here.tree.read(one.path), one.start, one.end, text.encode())
    promise = Expectation("line", as_promised(whole_line), here.target.job, one.path)
    note = f"that {one.name} reaches the scheduler is seen in the log, not proved from the scripts"
    settled = EffectiveValue(knob=recipe.knob, to=in_minutes(text))
    edit = Edit(one.path, one.start, one.end, text.encode(), why)
    title = f"Change {one.name} from {one.text} to {text}"
    return Edited((edit,), (one.path,), (promise,), notes=(note,), settled=settled, title=title)


def _granted(siblings: Sequence[int]) -> int:
    """The most that siblings ask for; where many stop at one figure and hardly any go beyond it, that is the limit, and
    the few have a partition of their own, or never ran."""
    counted = Counter(siblings)
    beyond = {each: sum(other > each for other in siblings) for each in counted}
    walls = (each for each in counted if counted[each] >= max(_MANY, _SHARE * beyond[each]))
    return min(walls, default=max(siblings, default=0))


def _in_fives(minutes: str, recipe: EffectiveValue) -> str:
    """As clocks are written, up to the next five minutes within the bound."""
    up = -(-int(minutes) // 5) * 5
    return str(max(int(minutes), min(up, whole(recipe.at_most) or up)))


def _enough(here: Situation, progress: Progress, minutes: str, wanted: str) -> int:
    """The minutes that all steps take with a tenth to spare, in fives, by what was done in the old ones; 0 where
    `wanted` is enough, or nobody can tell."""
    old, new = whole(minutes) or 0, whole(wanted) or 0
    if new <= old or (here.facts.minutes and progress.left < 0):
        return 0
    needed = old + progress.left if progress.left >= 0 else old * progress.total / progress.done
    return 0 if needed <= new else ceil(needed * 1.1 / 5) * 5


def _bound(recipe: EffectiveValue) -> str:
    return f", the most that is known to be allowed is {recipe.at_most}" if recipe.factor and recipe.at_most else ""


def scripts_of(here: Situation, names: Sequence[str]) -> tuple[str, ...]:
    """Scripts that are run, or that a command is given; else the one that the run of the log is named after."""
    calls = {call.key: call for one in here.concerned for call in one.calls}
    entered = [call.enters for call in calls.values() if call.enters.endswith(SCRIPTS)]
    words = " ".join(str(word) for call in calls.values() for word in call.words)
    own = tuple(dict.fromkeys([*named_files(here.tree, words, SCRIPTS), *entered]))
    names = in_effect(here, names)
    if any(True for path in own for _ in assignments(here.tree, path, names)):
        return own
    lines = here.lines
    return tuple(path for path in here.tree.paths() if path.endswith(SCRIPTS) and shows(lines, path))


def in_effect(here: Situation, names: Sequence[str]) -> tuple[str, ...]:
    """Without the directives of a script where the command that submits it gives the time itself, which beats them."""
    given = any(_SUBMITTED.search(line) for line in here.lines)
    return tuple(name for name in names if not (given and name.startswith("#")))


def assignments(tree: Tree, path: str, names: Sequence[str]) -> Iterator[Assignment]:
    """`NAME=240` alone on its line, and scheduler directives (`#SBATCH --time=04:00:00`) by their words."""
    data = tree.read(path)
    for name in names:
        words = rb"\s+".join(re.escape(word.encode()) for word in name.split())
        lead = words if name.startswith("#") else rb"(?:export[ \t]+)?" + words
        for found in re.finditer(rb"(?m)^(" + lead + rb"[= ][\"']?)([\d:-]+)(?=[\"']?[ \t]*(?:#.*)?\r?$)", data):
            start, end = found.span(2)
            head, text = found[1].decode(), found[2].decode()
            yield Assignment(path, start, end, line_of(data, start), head, text)


def _of_siblings(tree: Tree, one: Assignment, names: Sequence[str]) -> list[int]:
    """What the scripts of the same folder set: so much the cluster is known to take."""
    folder = posixpath.dirname(one.path)
    beside = [path for path in tree.paths() if posixpath.dirname(path) == folder and path.endswith(SCRIPTS)]
    found = (whole(each.minutes) for path in beside for each in assignments(tree, path, names))
    return [each for each in found if each is not None]
