"""Install lines of sibling jobs: a distribution and its pin that the repository names where it already installs it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from triage.fixes.recipes.declarations import declarations
from triage.fixes.recipes.installs import verb_at, words_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import parsed
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform

# Packages of a repository lie near its root; what is read is bounded.
_MOST_FILES = 2000


@dataclass(frozen=True, slots=True)
class SiblingInstall:
    """`arguments` are what follows `install`, as words; `path` and `job` say where it stands.

    `job` is "" where no job installs it: then `path` is code of the repository that imports it.
    """

    path: str
    job: str
    spec: str
    arguments: tuple[str, ...]

    @property
    def why(self) -> str:
        return (
            f"{self.job} of {self.path} installs it so" if self.job else f"{self.path} imports it, nothing requires it"
        )


def sibling_install(here: Situation, names: Iterable[str]) -> SiblingInstall | None:
    """The way in which most siblings of the same hardware install one of the names alone; None when none does."""
    wanted = {name.replace("-", "") for name in names}
    found = [one for one in _installs(here) if _named(one, wanted)]
    if not found:
        return None
    arguments, _ = Counter(one.arguments for one in found).most_common(1)[0]
    return next(one for one in found if one.arguments == arguments)


def _named(one: SiblingInstall, wanted: set[str]) -> bool:
    return any(named.name.replace("-", "") in wanted for named in parsed(one.spec, one.path))


def _installs(here: Situation) -> Iterator[SiblingInstall]:
    platform = job_platform(here.job)
    for path in workflow_paths(here.tree):
        if b" install " not in here.tree.read(path):
            continue
        workflow = load_workflow(here.tree, path)
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) != (here.job.path, here.job.id) and job_platform(job) == platform:
                yield from _of_job(job)


def _of_job(job: Job) -> Iterator[SiblingInstall]:
    for step in job.steps:
        for line in step.run.value.splitlines() if step.run is not None else ():
            words = words_of(line)
            at = verb_at(words, "install")
            specs = [word for word in words[at + 1 :] if not word.startswith("-")] if at > 0 else []
            if len(specs) == 1 and "$" not in line:
                yield SiblingInstall(job.path, job.id, specs[0], tuple(words[at + 1 :]))


def imported_by_code(here: Situation, module: str) -> SiblingInstall | None:
    """A module that code of the repository imports, with the one distribution that the reviewed table has for it.

    The log alone never decides what is installed: both the import and the name of the distribution stand elsewhere.
    """
    listed = here.tables.distributions.get(module, ())
    if len(listed) != 1 or here.image or here.job.image is not None or declarations(here.tree, ".", listed[0]):
        return None
    statement = re.compile(rb"^[ \t]*(?:import|from)[ \t]+" + re.escape(module.encode()) + rb"\b", re.M)
    paths = sorted((path for path in here.tree.paths() if path.endswith(".py")), key=lambda path: path.count("/"))
    for path in paths[:_MOST_FILES]:
        data = here.tree.read(path)
        if module.encode() in data and statement.search(data):
            return SiblingInstall(path, "", listed[0], (listed[0],))
    return None
