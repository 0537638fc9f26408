"""`activate_environment`: the first line by which the job's other steps enter their environment of Python."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from triage.fixes.recipes.commands.run_before import run_before
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Expectation
from triage.model.recipe import RunBefore

_ACTIVATES = re.compile(r"(?:source activate|conda activate) [\w./-]+|(?:source|\.) [\w./~-]+/bin/activate")
# One step with it may be the only one that needs it.
_LEAST = 2


def activate_environment(here: Situation) -> Outcome:
    own = here.step
    steps = [one for one in here.job.steps if own is None or (one.index != own.index and one.shell == own.shell)]
    found = Counter(step.script[0] for step in steps if step.script and _ACTIVATES.fullmatch(step.script[0]))
    if len(found) != 1 or sum(found.values()) < _LEAST:
        return Refusal("the job's other steps do not enter one environment", here.job.path, here.job.line)
    (line,) = found
    if own is not None and line in own.script:
        return InPlace(f"`{own.name}` runs `{line}`")
    if own is not None and own.run is not None and "activate" in own.run.value:
        return Refusal("the failed step enters an environment of its own", here.job.path, here.job.line)
    made = run_before(RunBefore(line), here)
    if not isinstance(made, Edited) or own is None or own.run is None:
        return made
    if own.path != here.job.path:
        return Refusal("the failed step stands in another file", own.path)
    # What it does to a shell is not evaluated: that it is there is promised.
    script = f"{here.place}.steps[{own.index}].run={line}\n{own.run.value.strip()}"
    return replace(made, expectations=(Expectation("value", script, here.target.job, here.job.path),))
