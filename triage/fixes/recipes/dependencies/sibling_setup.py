"""The whole step by which other jobs set up a program: an action for it, or a script of the repository of that name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.counting import foremost
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.copied_steps import fits_in
from triage.fixes.recipes.wiring.steps import step_lines
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import child, text_of
from triage.fixes.yaml.steps import insert_step_text

_NAMED = r"(?:install|setup|set[_-]up|get)[_-]{}"
_CHECKOUT = "actions/checkout@"


def set_up_as_siblings(here: Situation, needed: str) -> Outcome | None:
    """Before the failed step. None where no other job has such a step that means the same here."""
    failed = here.step
    if failed is None or here.typed or failed.path != here.job.path or failed.index == 0:
        return None
    own = [step for step in here.job.steps if _sets_up(here, step, needed)]
    if own:
        return InPlace(f"{own[0].path}:{own[0].line} sets {needed} up already") if own[0].index < failed.index else None
    found = list(_steps(here, needed))
    most = foremost(_said(step) for step in found)
    if most is None:
        return None
    step = next(one for one in found if _said(one) == most[0])
    anchor = here.job.steps[failed.index - 1]
    where = f"{step.path}:{step.line}"
    edits = insert_step_text(here.job.document, anchor, step_lines(step), why=f"copied from {where}")
    if not isinstance(edits, tuple):
        return None
    place = f"{here.job.path}:{here.place}.steps[+{anchor.index}]"
    title = f"Set {needed} up before it is needed, as other jobs do"
    made = Edited(edits, (place,), promised(here, edits), title=title)
    return made.noting(f"{where} sets {needed} up so for another job")


def _steps(here: Situation, needed: str) -> Iterator[Step]:
    checked_out = any(one.uses.startswith(_CHECKOUT) for one in here.job.steps[: here.step.index if here.step else 0])
    for job in sibling_jobs(here, needed.encode()):
        for step in job.steps:
            fits = checked_out or step.run is None
            if fits and _sets_up(here, step, needed) and fits_in(here, job, step):
                yield step


def _sets_up(here: Situation, step: Step, needed: str) -> bool:
    name = re.compile(_NAMED.format(re.escape(needed)), re.I)
    if step.run is None:
        return name.fullmatch(posixpath.basename(step.uses.partition("@")[0]).removeprefix("actions-")) is not None
    words = step.run.value.split() if len(step.run.value.strip().splitlines()) == 1 else []
    files = [posixpath.normpath(word) for word in words if name.match(posixpath.basename(word))]
    folder = text_of(child(step.node, "working-directory"))
    return any(path in here.tree for path in files) and not folder


def _said(step: Step) -> str:
    return step.run.value.strip() if step.run is not None else step.uses
