"""A step that the job has, and that comes after the one which needed it: it is moved before that one."""

from __future__ import annotations

import re

from triage.fixes.document import line_start
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.steps import insert_step_text
from triage.model.patch import Edit, Expectation

# A condition of steps that run behind a failure too.
_AT_END = re.compile(r"\b(?:always|failure|cancelled)\s*\(")


def moved_earlier(here: Situation, own: Step, lines: list[str]) -> Outcome:
    """`lines` are those of the step. In place where it ran before the failure, or nobody knows what failed."""
    failed, run = here.step, own.run
    if failed is None or failed.index >= own.index or run is None or own.path != here.job.path:
        return InPlace(f"{here.job.id} already has a step `{own.name}`")
    if any("steps." in line or "env." in line for line in lines):
        return Refusal(f"`{own.name}` reads what other steps made", own.path, own.line)
    if _AT_END.search(own.condition):
        return Refusal(f"`{own.name}` clears up when the job ends, whatever came of it", own.path, own.line)
    checkout = next((step.index for step in here.job.steps if step.uses.startswith("actions/checkout@")), -1)
    if checkout >= failed.index and any(word.removeprefix("./") in here.tree for word in run.value.split()):
        return Refusal(f"`{own.name}` runs a file that is not checked out before", own.path, own.line)
    promised = f"{here.place}.steps[{failed.index}].run={run.value}"
    because = "The job frees its disk only after this step has filled it."
    return _moved(here, own, failed, lines, promised, because)


def checkout_moved(here: Situation, own: Step, failed: Step, lines: list[str]) -> Outcome:
    """A checkout that comes after the step which reads the repository's files, before which it is moved."""
    text = "\n".join(lines)
    if own.path != here.job.path or failed.path != own.path or "steps." in text or "env." in text or own.condition:
        return Refusal("it has a condition, or reads what other steps made", own.path, own.line)
    promised = f"{here.place}.steps[{failed.index}].uses={own.uses}"
    return _moved(here, own, failed, lines, promised, "A step reads the repository's files before they are there.")


def _moved(here: Situation, own: Step, failed: Step, lines: list[str], promised: str, because: str) -> Outcome:
    data = own.document.data
    why = f"`{failed.name or here.target.step}` needed it, and it comes after that"
    edits = insert_step_text(own.document, failed, lines, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    start = line_start(data, own.document.start(own.node))
    later = [step for step in here.job.steps if step.index > own.index]
    end = line_start(data, own.document.start(later[0].node)) if later else data.find(b"\n", own.end - 1) + 1
    if not data[start:end].lstrip().startswith(b"-") or (later and b"#" in data[own.end : end]):
        return Refusal(f"`{own.name}` cannot be taken out of its place", own.path, own.line)
    gone = Edit(own.path, start, end or len(data), b"", why)
    steps = f"{here.place}.steps"
    moved = tuple(f"{own.path}:{steps}[{step.index}]" for step in (own, *later))
    promise = Expectation("value", promised, here.target.job, here.job.path)
    declared = (f"{own.path}:{steps}[+{failed.index - 1}]", *moved)
    title = f"Move `{own.name or own.uses}` before the step that failed"
    return Edited((*edits, gone), declared, (promise,), title=title, because=because)
