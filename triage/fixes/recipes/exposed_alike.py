"""Who else meets the same failure: jobs that install in the same way, steps that start the same engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.dependencies.installs import verb_at, words_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.overrides.nearest import starts_program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Job, Step
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.model.patch import Edit, Sibling
from triage.model.recipe import PipPin, Recipe, SetEnv

_MOST = 12


def with_exposed(here: Situation | Refusal, outcome: Outcome) -> Outcome:
    """Those that a recipe found itself are kept as they are."""
    if isinstance(here, Refusal) or not isinstance(outcome, Edited) or outcome.siblings:
        return outcome
    found = dict.fromkeys((*_installing(here, outcome), *_starting(here, outcome)))
    return replace(outcome, siblings=tuple(found)[:_MOST])


def for_sibling(recipe: Recipe, own: Edited, here: Situation | Refusal, sibling: Sibling) -> Recipe:
    """A release that was read from the log holds for others too; other steps of a job see what its `env` sets."""
    if isinstance(own.settled, PipPin):
        return own.settled
    same = not isinstance(here, Refusal) and (sibling.workflow_path, sibling.job) == (here.job.path, here.job.id)
    return replace(recipe, level="job") if same and isinstance(recipe, SetEnv) else recipe


def _installing(here: Situation, edited: Edited) -> Iterator[Sibling]:
    """Jobs of the same file and hardware whose step installs by the same lines, and lacks the line that is added."""
    for edit in edited.edits:
        added = _installs(edit.new.decode("utf-8", "replace").splitlines())
        step = next((one for one in here.job.steps if _holds(one, edit)), None)
        own = _installs(step.script) if step is not None and edit.path == here.job.path else []
        if not added or edit.end > edit.start or not own:
            continue
        for job in jobs_of(here.tree, here.job.workflow):
            same = next((one for one in job.steps if _installs(one.script) == own), None)
            has = any(line in _every_install(job) for line in added)
            if job.id == here.job.id or same is None or has or job_platform(job) != job_platform(here.job):
                continue
            yield Sibling(job.path, job.id, f"installs by the same lines (`{' '.join(own[-1])}`, line {same.line})")


def _holds(step: Step, edit: Edit) -> bool:
    return step.document.start(step.node) <= edit.start <= step.document.end(step.node)


def _installs(lines: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words) for line in lines if verb_at(words := words_of(line), "install") > 0]


def _every_install(job: Job) -> list[tuple[str, ...]]:
    return [line for step in job.steps for line in _installs(step.script)]


def _starting(here: Situation, edited: Edited) -> Iterator[Sibling]:
    """Other steps of the job whose scripts start programs with the same engine, where one script sets a variable."""
    changed = {edit.path for edit in edited.edits}
    wanted = [one.text.partition("=") for one in edited.expectations if one.kind == "environment"]
    if here.step is None or not wanted or here.job.path in changed:
        return
    own = [one for one in here.concerned if starts_program(one)]
    engines = {_engine(here, one) for one in own}
    for one in here.evaluation.invocations:
        script = one.calls[-1].path
        if one.step == here.step.index or script in changed or not starts_program(one) or one.substitution:
            continue
        if script == here.job.path or (engine := _engine(here, one)) not in engines or not engine:
            continue
        lacking = [name for name, _, value in wanted if not _sees(one, name, value)]
        if lacking:
            said = f"starts {one.module or script} with {engine} as well, without {', '.join(lacking)}"
            yield Sibling(here.job.path, here.job.id, f"{script}:{one.calls[-1].line} {said}")


def _engine(here: Situation, one: Invocation) -> str:
    return Program(one, here.tables).engine


def _sees(one: Invocation, name: str, value: str) -> bool:
    return name in one.environment and one.environment[name].text == value
