"""The whole step by which a sibling job prepares data that this job lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import same_runner, sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.copied_steps import fits_in
from triage.fixes.recipes.wiring.steps import install_anchor, step_lines
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.steps import insert_step_text
from triage.model.patch import Expectation

# Folders that many paths have and that name no data.
_COMMON = re.compile(
    r"(?:root|home|mnt|tmp|data|datasets?|hf_data|train|test|val|valid|models?|checkpoints?|cache|workspace|github)",
    re.I,
)
_PREPARES = re.compile(r"(?:\b|_)(?:prepar|preprocess|download|fetch|convert|get[_-]?data)", re.I)
# Commands that may stand beside those that prepare: a step that also trains is not copied.
_BESIDE = re.compile(
    r"(?:mkdir|cd|export|set|ray stop|ls|echo|unzip|tar|curl|wget|git clone|ln|pip3? install|uv pip)\b|#|$"
)
# Longer scripts do more than their name says.
_MOST_LINES = 12


def copy_preparation(path: str, here: Situation) -> Outcome:
    names = [name for name in _names(path) if _in_tree(here, name)]
    own = [step for step in here.job.steps if names and _prepares(step, names[:1])]
    if own:
        return InPlace(f"`{own[0].name}` ({here.job.path}:{own[0].line}) prepares {names[0]} already")
    found = list(_steps(here, names[:1])) if names else []
    if not found:
        return Refusal(f"no sibling on the same kind of runner prepares {names[0] if names else path}")
    text, _ = Counter(_text(step) for step in found).most_common(1)[0]
    step = next(one for one in found if _text(one) == text)
    anchor = install_anchor(here)
    if isinstance(anchor, Refusal):
        return anchor
    if here.step is not None and here.step.index <= anchor.index:
        return Words(f"{step.path}:{step.line} prepares {names[0]}: do the same before `{here.step.name}`")
    why = f"copied from {step.path}:{step.line}"
    edits = insert_step_text(here.job.document, anchor, step_lines(step), why=why)
    if isinstance(edits, Refusal):
        return edits
    last = [line.strip() for line in text.splitlines() if line.strip()][-1]
    promise = Expectation("command", last, here.target.job, here.target.workflow_path)
    return Edited(edits, (f"{here.job.path}:{here.place}.steps[+{anchor.index}]",), (promise,))


def _names(path: str) -> list[str]:
    """Folders and the file's stem, nearest the end first; those that say nothing are left out."""
    parts = [part for part in re.split(r"/", path.strip("~/")) if part and "$" not in part]
    if parts and "." in parts[-1]:
        parts = parts[:-1]
    return [part for part in reversed(parts) if not _COMMON.fullmatch(part) and re.fullmatch(r"[\w.-]{3,80}", part)]


def _in_tree(here: Situation, name: str) -> bool:
    return any(
        name.encode() in here.tree.read(path) for path in here.tree.paths() if path.endswith((".sh", ".yml", ".yaml"))
    )


def _prepares(step: Step, names: Sequence[str]) -> bool:
    """Whether a step of commands alone names the data and does nothing but prepare it."""
    text = _text(step)
    if not any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in names):
        return False
    lines = [line.strip() for line in text.splitlines()]
    if _PREPARES.search(step.name) and len(lines) <= _MOST_LINES:
        return True
    return bool(_PREPARES.search(text)) and all(_PREPARES.search(line) or _BESIDE.match(line) for line in lines)


def _text(step: Step) -> str:
    return step.run.value.strip() if step.run is not None else ""


def _steps(here: Situation, names: Sequence[str]) -> Iterator[Step]:
    """Of the same file first; the others count when it has none."""
    same: list[Step] = []
    rest: list[Step] = []
    for job in sibling_jobs(here):
        if same_runner(here, job):
            fitting = [one for one in job.steps if _prepares(one, names) and fits_in(here, job, one)]
            (same if job.path == here.job.path else rest).extend(fitting)
    yield from same or rest
