"""A fix that only changes what runs behind the failed step cures nothing there."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

_ANYTIME = -1.0


def in_time_or_not(here: Situation | Refusal, made: Outcome) -> Outcome:
    """`made`, unless the failed step is known and every edit acts later. What lies outside of steps acts always."""
    if isinstance(here, Refusal) or not isinstance(made, Edited) or here.image or here.typed or here.step is None:
        return made
    if here.job.hands_script or any(_acts(here, edit) <= here.step.index for edit in made.edits):
        return made
    said = f"what it would change runs only behind the failed step `{here.step.name}`"
    return Refusal(said, made.edits[0].path)


def _acts(here: Situation, edit: Edit) -> float:
    """The index of the first step that the edit changes; that of the step before a new one, and a half."""
    if edit.path != here.job.path:
        running = [one.step for one in here.evaluation.invocations if any(call.path == edit.path for call in one.calls)]
        return float(min(running, default=_ANYTIME))
    begun = [step for step in here.job.steps if step.document.start(step.node) <= edit.start]
    if not begun:
        return _ANYTIME
    last = begun[-1]
    if _is_step(edit) and edit.start >= last.end:
        return last.index + 0.5
    # Behind the steps lie other keys of the job, and other jobs.
    return float(last.index) if edit.start <= last.end or last is not here.job.steps[-1] else _ANYTIME


def _is_step(edit: Edit) -> bool:
    return edit.start == edit.end and edit.new.lstrip().startswith(b"- ")
