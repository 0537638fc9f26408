"""The repository's own project, for a job that imports it and installs other things alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from triage.fixes.project import project_name
from triage.fixes.recipes.dependencies.beside import Source, anchor_of, beside
from triage.fixes.recipes.dependencies.installs import Install, is_local, verb_at, words_of
from triage.fixes.recipes.dependencies.isolation import UNISOLATED, brings_torch
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import is_within, normalised
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform


def own_module(here: Situation, title: str, done: Sequence[Install]) -> Outcome:
    """What is the repository's own is installed with it, or found by a path; no install brings a part that it lacks."""
    top, _, below = title.partition(".")
    if below and not is_within(here.tree, title):
        return Refusal(
            f"the repository has the package `{top}`, but no `{title.replace('.', '/')}`: a file that was never "
            "committed, one that .gitignore leaves out, or one that was renamed"
        )
    wrong = Refusal(f"`{title}` is a module of the repository itself: a path or an editable install is wrong")
    return install_project(here, top, done) or wrong


def install_project(here: Situation, module: str, done: Sequence[Install]) -> Edited | InPlace | None:
    """As siblings of the same hardware install it, by the plainest of their commands. Where none does, what stands
    below `src/` as an editable install, for nothing else makes it known there.

    None elsewhere, and where the job sets a path to it or does not run in its root.
    """
    # A project may be called otherwise than the package that it builds.
    named = normalised(project_name(here.tree)) == normalised(module) or _below_src(here, module)
    anchor = anchor_of(done)
    if not named or here.image or anchor is None or anchor.invocation.directory not in (".", "", None):
        return None
    local = next((one for one in done if one.local), None)
    if local is not None and not _has_path(here):
        return InPlace(f"{local.call.path}:{local.call.line} installs the project: a path, or another interpreter")
    if projects(here, done) or local is not None or _has_path(here):
        return None
    found = Counter(_buildable(here, done, one) for one in _of_siblings(here))
    if not found and not _below_src(here, module):
        return None
    arguments = "-e ." if not found else min(found, key=lambda one: (len(one.split()), -found[one], one))
    why = f"{here.job.id} imports {module}, which is this repository's own, and installs it nowhere"
    made = beside(here, anchor, Source(arguments, why))
    return made if isinstance(made, Edited) else None


def _buildable(here: Situation, done: Sequence[Install], arguments: str) -> str:
    """Without isolation the build takes torch from the environment, which a job without torch does not have."""
    brought = "torch" in here.facts.installed or any(brings_torch(here, one) for one in done)
    words = arguments.split()
    return " ".join(words if brought else [word for word in words if word != UNISOLATED])


def _below_src(here: Situation, module: str) -> bool:
    """Whether the package lies where only an installation, or a path, makes it known, and the root builds it."""
    declared = here.tree.read("pyproject.toml") if "pyproject.toml" in here.tree else b""
    builds = "setup.py" in here.tree or b"[project]" in declared or b"[build-system]" in declared
    return builds and f"src/{module}/__init__.py" in here.tree and f"{module}/__init__.py" not in here.tree


def _has_path(here: Situation) -> bool:
    return any("PYTHONPATH" in one.environment for one in here.concerned)


def _of_siblings(here: Situation) -> Iterator[str]:
    """What follows `install` in the lines of other jobs that install the project at the root, without its extras."""
    platform = job_platform(here.job)
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path) if b" install " in here.tree.read(path) else Refusal("")
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) == (here.job.path, here.job.id) or job_platform(job) != platform:
                continue
            for step in job.steps:
                for line in step.run.value.splitlines() if step.run is not None else ():
                    yield from _local(words_of(line))


def _local(words: Sequence[str]) -> Iterator[str]:
    at = verb_at(words, "install")
    given = [word.partition("[")[0] if is_local(word) else word for word in words[at + 1 :]] if at > 0 else []
    plain = [word for word in given if not word.startswith("-")]
    if plain == ["."] and not any("$" in word for word in given):
        yield " ".join(given)
