"""Install lines of sibling jobs: a distribution and its pin that the repository names where it already installs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from triage.fixes.recipes.dependencies.installs import verb_at, words_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import naming, parsed
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform


@dataclass(frozen=True, slots=True)
class SiblingInstall:
    """`arguments` are what follows `install`, as words; `path` and `job` say where it stands."""

    path: str
    job: str
    spec: str
    arguments: tuple[str, ...]


def sibling_install(here: Situation, names: Iterable[str]) -> SiblingInstall | None:
    """The way in which most siblings of the same hardware install one of the names alone; None when none does, and
    where as many want another release."""
    wanted = tuple(names)
    found = [one for one in _installs(here) if naming(parsed(one.spec, one.path), wanted)]
    if not found:
        return None
    (arguments, count), *others = Counter(one.arguments for one in found).most_common(2)
    if any(_releases(arguments) != _releases(words) for words, often in others if often == count):
        return None
    return next(one for one in found if one.arguments == arguments)


def _releases(arguments: tuple[str, ...]) -> set[str]:
    return {named.pin.replace(" ", "") for word in arguments for named in parsed(word, "")}


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
