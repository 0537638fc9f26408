"""`fewer_steps`: as many steps of a training as fit the time that its job has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_of, line_start
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.overrides.assignments import Assignment, assignments, scripts_of
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Progress
from triage.model.patch import Edit, Expectation
from triage.model.recipe import EffectiveValue, FewerSteps

# Of the steps that were done, so many are asked for: the next run may be slower.
_ROOM = 0.9
# A key of a mapping that is a step's number, as in `data["train/loss"]["500"]`.
_KEY = re.compile(rb"\[\\?[\"']([0-9]{1,8})\\?[\"']\]")


def fewer_steps(recipe: FewerSteps, here: Situation) -> Outcome:
    progress = here.facts.progress
    if progress is None:
        return Refusal("the log shows no steps of how many")
    wanted = _rounded(int(progress.done * _ROOM))
    if not 0 < wanted < progress.total:
        return Refusal(f"{progress.done} of {progress.total} steps were done: fewer do not make it shorter")
    names = here.tables.knobs.get(recipe.knob, {}).get("shell", ())
    scripts = scripts_of(here, names)
    found = [one for path in scripts for one in assignments(here.tree, path, names)]
    if not found:
        return _of_program(recipe, here, progress, wanted)
    if recipe.settled and all(one.text == recipe.settled for one in found):
        return InPlace(f"{found[0].name} is {recipe.settled} already ({found[0].path}:{found[0].line})")
    odd = [one for one in found if whole(one.text) != progress.total]
    if odd or len({one.path for one in found}) > 1:
        one = (odd or found)[0]
        reason = f"{one.name} is {one.text} where the run counts {progress.total} steps: it is one of a chain"
        return Refusal(reason, one.path, one.line)
    return _in_script(recipe, here, found, progress, wanted)


def _rounded(number: int) -> int:
    step = 1 if number < 5 else 5 if number < 100 else 10
    return number // step * step


def _of_program(recipe: FewerSteps, here: Situation, progress: Progress, wanted: int) -> Outcome:
    """The setting of the program itself, unless it asks for a number that the log does not show."""
    own = (str(progress.total), "", "null", "None", "-1", "0")
    part = EffectiveValue(knob=recipe.knob, to=recipe.settled or str(wanted), from_values=own)
    made = effective_value(part, here)
    return replace(made, title=_title(progress, wanted)) if isinstance(made, Edited) else made


def _in_script(
    recipe: FewerSteps, here: Situation, found: Sequence[Assignment], progress: Progress, wanted: int
) -> Outcome:
    """Every variable that holds the number, and the keys by which checks read the last step."""
    path = found[0].path
    data = here.tree.read(path)
    keys = [each for each in _KEY.finditer(data) if int(each[1]) > wanted]
    other = next((each for each in keys if int(each[1]) != progress.total), None)
    if other is not None:
        return Refusal(f"a check reads step {other[1].decode()}, which would not be reached", path)
    if (line := _counted_elsewhere(data, progress.total, [*((one.start, one.end) for one in found)])) > 0:
        return Refusal(f"this line counts on step {progress.total} as well, and would have to follow", path, line)
    why = f"{progress.done} of {progress.total} steps were done when the time was over"
    number = str(wanted).encode()
    edits = [Edit(one.path, one.start, one.end, number, why) for one in found]
    edits += [Edit(path, *each.span(1), number, f"the last step is {wanted}") for each in keys]
    promises = tuple(Expectation("line", f"{one.head.strip()}{wanted}", here.target.job, path) for one in found)
    return Edited(
        tuple(edits),
        (path,),
        promises,
        costs=(f"the test trains for {wanted} steps instead of {progress.total}",),
        settled=replace(recipe, settled=str(wanted)),
        title=_title(progress, wanted),
    )


def _counted_elsewhere(data: bytes, total: int, known: Sequence[tuple[int, int]]) -> int:
    """The first line, from 1, that names the last step in other words (`global_step_500`, `--train-iters 500`); 0."""
    head = rb"(?i)(?:step|iter)[\w-]{0,30}?[ =:_/\"'\\]{0,4}0{0,12}"
    number = re.compile(head + b"(" + str(total).encode() + rb")(?![0-9])")
    for found in number.finditer(data):
        inside = any(start <= found.start(1) < end for start, end in known)
        if not inside and b"#" not in data[line_start(data, found.start()) : found.start()]:
            return line_of(data, found.start(1))
    return 0


def _title(progress: Progress, wanted: int) -> str:
    return f"Train for {wanted} steps instead of {progress.total}, which fit the time"
