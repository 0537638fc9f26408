"""Whether a step of one job means the same in another one."""

from __future__ import annotations

import re

from triage.fixes.recipes.situation import Situation
from triage.fixes.workflow.model import Job, Step
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import child, entries

# What an expression reads that belongs to the job which the step is taken from.
_OF_JOB = re.compile(r"\b(?:steps|needs|inputs|strategy)\.")
_OF_MATRIX = re.compile(r"\bmatrix\.([\w-]+)")
_SECRET = re.compile(r"\bsecrets\.(?!GITHUB_TOKEN\b)")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.S)
_ALWAYS = ("", "always()", "success()", "!cancelled()")
_SYSTEM = re.compile(r"windows|macos|\bmac\b", re.I)


def fits_in(here: Situation, job: Job, step: Step) -> bool:
    """Nothing that only its own job has: outputs, cells of a matrix, variables, secrets of an environment, a system, a
    condition."""
    text = step.document.text[step.node.start_mark.index : step.node.end_mark.index]
    read = " ".join(_EXPRESSION.findall(text))
    if step.condition.strip().removeprefix("${{").removesuffix("}}").strip() not in _ALWAYS or _OF_JOB.search(read):
        return False
    if {*_OF_MATRIX.findall(read)} - _names(here.job, "strategy", "matrix"):
        return False
    if step.id and any(step.id == own.id for own in here.job.steps):
        return False
    return _same_system(here.job, job) and not _lost(here, job, text) and not _withheld(here, job, read)


def _names(job: Job, *keys: str) -> set[str]:
    return {name for name, _, _ in entries(child(job.node, *keys))}


def _same_system(one: Job, other: Job) -> bool:
    kinds = [{found[0].lower() for label in job.labels for found in _SYSTEM.finditer(label)} for job in (one, other)]
    platforms = {job_platform(one), job_platform(other)} - {"", "cpu"}
    return kinds[0] == kinds[1] and len(platforms) < 2


def _lost(here: Situation, job: Job, text: str) -> bool:
    """Whether it reads a variable that its job, or its workflow, sets and the other one does not."""
    theirs = _names(job, "env") | {name for name, _, _ in entries(child(job.workflow.node, "env"))}
    ours = _names(here.job, "env") | {name for name, _, _ in entries(child(here.job.workflow.node, "env"))}
    return any(re.search(rf"(?:\$\{{?|env\.){re.escape(name)}\b", text) for name in theirs - ours)


def _withheld(here: Situation, job: Job, read: str) -> bool:
    """Whether it reads a secret that may be one of the other job's environment, or that does not come to this one."""
    if not _SECRET.search(read):
        return False
    theirs, ours = (child(one.node, "environment") for one in (job, here.job))
    return (theirs is not None and ours is None) or bool(here.job.callers) or here.facts.secret_source == "None"
