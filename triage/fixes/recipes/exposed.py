"""Siblings: other jobs that are exposed to the same failure, with the evidence for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.recipes.dependencies.installs import Install, verb_at, words_of
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised, parsed
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.diagnosis import Facts
from triage.model.patch import Sibling

_MOST = 60


def exposed_to_missing(here: Situation, anchor: Install, path: str) -> tuple[Sibling, ...]:
    """Jobs that install the anchor's files and lack `path`, same workflow first, then same image, then the rest."""
    if not anchor.files:
        return ()
    image = _image(here.job)
    found = []
    for job in _jobs(here):
        files = set(_files(job))
        if set(anchor.files) <= files and path not in files and job_platform(job) == job_platform(here.job):
            evidence = f"installs {', '.join(anchor.files)} and not {path}"
            same = _image(job) == image
            ranked = (job.path != here.job.path, not same, job.path, job.id)
            found.append((ranked, Sibling(job.path, job.id, evidence + (", same image" if same and image else ""))))
    return tuple(sibling for _, sibling in sorted(found, key=lambda one: one[0])[:_MOST])


def exposed_to_setting(here: Situation, start: Program, module: str, key: str) -> tuple[Sibling, ...]:
    """Jobs of the same file and hardware that start the same program with the same engine and do not set the key."""
    engine = start.engine
    found = []
    for job in jobs_of(here.tree, here.job.workflow):
        if job.id == here.job.id or job_platform(job) != job_platform(here.job):
            continue
        facts = Facts(platform=here.facts.platform)
        commands = [one for one in evaluate_job(here.tree, job, facts).invocations if one.module == module]
        bare = [one for one in commands if find_setting(one, key) is None]
        if bare and all(Program(one, here.tables).engine == engine for one in bare):
            of = f"{engine or 'the same engine'} in {len(bare)} command{'s' if len(bare) > 1 else ''} of {module}"
            found.append(Sibling(job.path, job.id, f"starts {of} without {key}"))
    return tuple(found)


def exposed_to_pin(here: Situation, name: str, spec: str) -> tuple[Sibling, ...]:
    """Jobs that install the distribution by name and at another version: pins are changed everywhere or drift apart."""
    found = {}
    for job, words in install_lines(here):
        for word in words:
            for named in parsed(word, job.path):
                if named.name == normalised(name) and named.pin.replace(" ", "") != spec.replace(" ", ""):
                    found[(job.path, job.id)] = Sibling(job.path, job.id, f"installs {named.spec}")
    return tuple(found.values())


def install_lines(here: Situation) -> Iterator[tuple[Job, list[str]]]:
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path) if b"install" in here.tree.read(path) else Refusal("")
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) == (here.job.path, here.job.id):
                continue
            for step in job.steps:
                for line in step.run.value.splitlines() if step.run is not None else ():
                    words = words_of(line)
                    at = verb_at(words, "install")
                    yield job, list(words[at + 1 :]) if at > 0 else []


def _jobs(here: Situation) -> Iterator[Job]:
    for path in workflow_paths(here.tree):
        if b"requirements" not in here.tree.read(path):
            continue
        workflow = load_workflow(here.tree, path)
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) != (here.job.path, here.job.id):
                yield job


def _files(job: Job) -> Iterator[str]:
    """Files of `-r` in the job's own run blocks, by parsed words: `--force-reinstall .` is no `-r`."""
    for step in job.steps:
        for line in step.run.value.splitlines() if step.run is not None else ():
            try:
                words = shlex.split(line, comments=True)
            except ValueError:
                continue
            if "install" in words:
                yield from (words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-r", "--requirement"))


def _image(job: Job) -> str:
    """The container's image, else the images that the workflow's `env` names, of which runners are made."""
    if job.image is not None:
        return text_of(job.image)
    named = [text_of(value) for name, _, value in entries(child(job.workflow.node, "env")) if "IMAGE" in name.upper()]
    return ", ".join(named)
