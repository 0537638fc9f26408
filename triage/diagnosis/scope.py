"""A signature's scope against the job and its log: three-valued, what is unknown passes."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from triage.model.diagnosis import Platform
from triage.model.log import Line
from triage.model.run import Job
from triage.model.signature import Scope

# Only engines exclude each other: a job that runs one of them does not run another, whatever else it uses.
_ENGINES = frozenset({"vllm", "sglang", "tensorrt-llm", "lmdeploy"})


def veto(scope: Scope, job: Job, line: Line, platform: Platform, frameworks: Sequence[str], workflow: str = "") -> str:
    """Why a match is out of its signature's scope; "" when nothing known speaks against it.

    Only a job that GitHub numbered has a name that a scope may be held against: others are named after their file.
    """
    if platform is not Platform.UNKNOWN and not _within(scope.platform, platform.value):
        return f"the platform is {platform.value}"
    if job.id and not _within(scope.job, job.name):
        return f"the job is {job.name}"
    if line.step is not None and line.step.name and not _within(scope.step, line.step.name):
        return f"the step is {line.step.name}"
    if workflow and not _within(scope.workflow, workflow):
        return f"the workflow is {workflow}"
    engines = [name for name in frameworks if name in _ENGINES]
    wanted = {name.replace("_", "-") for name in scope.framework}
    if engines and wanted and wanted <= _ENGINES and not wanted.intersection(engines):
        return f"the engine is {engines[0]}"
    return ""


def narrowness(scope: Scope) -> int:
    """How many fields of the scope say something."""
    return sum(bool(field) for field in (scope.platform, scope.workflow, scope.job, scope.step, scope.framework))


def _within(globs: Sequence[str], value: str) -> bool:
    return not globs or any(fnmatchcase(value.lower(), glob.lower()) for glob in globs)
