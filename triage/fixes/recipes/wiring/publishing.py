"""`publish_guard`: a step that publishes, in a run of a pull request, which may not."""

from __future__ import annotations

import re
from collections import Counter

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import insert_before
from triage.fixes.yaml.nodes import child, items, text_of
from triage.model.patch import Expectation
from triage.model.recipe import PublishGuard

# Conditions that are false in every run of a pull request.
_KEEPS_OUT = re.compile(
    r"(?:\$\{\{ *)?(?:github\.ref(?:_name)? *== *'(?:refs/heads/)?[\w./-]+'"
    r"|github\.event_name *== *'(?:push|release|schedule)'|github\.event_name *!= *'pull_request'"
    r"|startsWith\( *github\.ref *, *'refs/tags/[\w.-]*' *\))(?: *\}\})?\Z"
)
_ACTIONS = re.compile(
    r"(?:[\w.-]*(?:gh-pages|github-pages|deploy-pages|pypi-publish|action-gh-release|upload-release-action|release-action|create-release|git-auto-commit|github-push)[\w.-]*/?)",
    re.I,
)
_COMMANDS = re.compile(
    r"\b(?:git push|twine upload|gh release|docker push|npm publish|mkdocs gh-deploy|cargo publish)\b"
)
# Conditions that are true in runs of a tag alone, or of a release, which has one.
_OF_TAG = re.compile(
    r"startsWith\( *github\.(?:event\.)?ref *, *'refs/tags[\w./-]*' *\)|github\.event_name *== *'release'"
    r"|github\.ref_type *== *'tag'"
)
_BRANCH = re.compile(r"[\w./-]+\Z")


def publish_guard(recipe: PublishGuard, here: Situation) -> Outcome:
    if recipe.tags:
        return _of_tags(here)
    step = here.step or _only(here)
    if step is None or not _publishes(step):
        return Refusal("the log does not say which step publishes", here.job.path, here.job.line)
    standing = next((one for one in (step.condition, here.job.condition) if _KEEPS_OUT.search(one)), "")
    if standing:
        return InPlace(f"`{standing}` keeps the step out of pull requests")
    where = f"{step.path}:{step.line}"
    if step.condition:
        return Words(f"let `if: {step.condition}` of {where} also ask that no pull request runs it")
    chosen, source = _from_siblings(here, step) or _from_trigger(here)
    if not chosen:
        return Words(f"give the step at {where} an `if:` that is false for pull requests; nothing in the tree has one")
    return _conditioned(here, step, chosen, source)


def _of_tags(here: Situation) -> Outcome:
    """The condition of the job's other steps that wait for a tag, else of all siblings, else that there is one."""
    unguarded = [one for one in here.job.steps if _publishes(one) and not _OF_TAG.search(one.condition)]
    step = here.step or (unguarded[0] if len(unguarded) == 1 else None)
    guarded = _OF_TAG.search(here.job.condition) or (step is not None and _OF_TAG.search(step.condition))
    if guarded or (step is None and not unguarded and any(_publishes(one) for one in here.job.steps)):
        return InPlace("what publishes runs for tags only")
    if step is None or not _publishes(step):
        return Refusal("the log does not say which step publishes", here.job.path, here.job.line)
    if step.condition:
        return Words(f"let `if: {step.condition}` of {step.path}:{step.line} also ask for a tag")
    for steps in (here.job.steps, [one for job in sibling_jobs(here, b"github.") for one in job.steps]):
        counted = Counter(one.condition for one in steps if _OF_TAG.match(one.condition.strip("${ }")))
        if counted:
            chosen = counted.most_common(1)[0][0]
            source = next(one for one in steps if one.condition == chosen)
            return _conditioned(here, step, chosen, f"{source.path}:{source.line}")
    return _conditioned(here, step, "startsWith(github.ref, 'refs/tags/')", "the action, which asks for a tag")


def _only(here: Situation) -> Step | None:
    found = [step for step in here.job.steps if _publishes(step)]
    return found[0] if len(found) == 1 else None


def _publishes(step: Step) -> bool:
    return bool(_ACTIONS.search(step.uses) or (step.run is not None and _COMMANDS.search(step.run.value)))


def _from_siblings(here: Situation, own: Step) -> tuple[str, str] | None:
    """The condition that most steps of the same action, else of any that publish, carry alone."""
    near: list[tuple[str, str]] = []
    far: list[tuple[str, str]] = []
    action = own.uses.partition("@")[0]
    for job in sibling_jobs(here, b"github."):
        for step in job.steps:
            if _publishes(step) and _KEEPS_OUT.fullmatch(step.condition):
                kept = near if action and step.uses.startswith(f"{action}@") else far
                kept.append((step.condition, f"{step.path}:{step.line}"))
    for found in (near, far):
        most = foremost(text for text, _ in found)
        if most is not None:
            return next(one for one in found if one[0] == most[0])
    return None


def _from_trigger(here: Situation) -> tuple[str, str]:
    """The one branch whose pushes start the workflow, which pull requests start too."""
    triggers = child(here.job.workflow.node, "on")
    names = [text_of(one) for one in items(child(triggers, "push", "branches"))]
    also = isinstance(triggers, yaml.MappingNode) and child(triggers, "pull_request") is not None
    if not also or len(names) != 1 or not _BRANCH.match(names[0]):
        return "", ""
    return f"github.ref == 'refs/heads/{names[0]}'", f"{here.job.path}: `on.push.branches` names no other"


def _conditioned(here: Situation, step: Step, condition: str, source: str) -> Outcome:
    node = step.node.value[1][0] if len(step.node.value) > 1 else None
    if node is None or step.path != here.job.path or step.node.flow_style:
        return Refusal("the step takes no further line", step.path, step.line)
    why = f"a run like this one may not publish; the condition is that of {source}"
    edits = insert_before(here.job.document, node, [f"if: {condition}"], node.start_mark.column, why=why)
    place = f"{here.place}.steps[{step.index}].if"
    promise = Expectation("value", f"{place}={condition}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{place}",), (promise,))
    return made.noting("other runs still build; only what publishes is left out")
