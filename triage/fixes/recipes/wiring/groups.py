"""`repair_group`: a `concurrency` group that the runs of unrelated pull requests share, or jobs of one run."""

from __future__ import annotations

import re
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.shared_groups import part_jobs
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import replace_scalar, splice_scalar
from triage.fixes.yaml.nodes import child
from triage.model.patch import Expectation
from triage.model.recipe import RepairGroup

# What tells one pull request, or one run, from another.
_APART = re.compile(r"github\.(?:head_ref|run_id|run_number|sha|event\.(?:number|pull_request\.\S+|issue\.number))")
_REF = "github.ref"
# `github.ref` is never empty, so what stands behind `||` never counts.
_KEY = re.compile(r"github\.ref(?:\s*\|\|\s*github\.(?:run_id|sha|run_number))?(?![\w.])")
_PARTED = "github.event.pull_request.number || github.ref"
# Events whose `github.ref` is the base branch, whichever pull request they are about.
_ON_BASE = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
_OF_PULLS = frozenset({"pull_request", "pull_request_target"})


def repair_group(recipe: RepairGroup, here: Situation) -> Outcome:
    if not here.captures.get(recipe.group.strip("{}"), ""):
        return Refusal("the log names no concurrency group")
    place, node = _group(here)
    if node is None:
        return Refusal(f"neither {here.job.id} nor its workflow has a concurrency group", here.job.path)
    if recipe.settled and node.value == recipe.settled:
        return InPlace(f"{place} of {here.job.path} is `{node.value}`")
    within = part_jobs(recipe, here)
    if within is not None:
        return within
    events = here.job.workflow.triggers
    counted = _KEY.sub(_REF, node.value)
    if _APART.search(counted):
        return Refusal(f"{place} is `{node.value}`, which tells pull requests apart", here.job.path)
    if not events & _OF_PULLS:
        return Refusal(f"{here.job.path} does not run for pull requests, so its runs replace each other by intent")
    if _REF in counted and not events & _ON_BASE:
        return Refusal(f"{place} is `{node.value}`, which tells branches apart", here.job.path)
    return _parted(recipe, here, place, node)


def _group(here: Situation) -> tuple[str, yaml.ScalarNode | None]:
    """The job's own group, else the workflow's; both may be the text alone."""
    for owner, place in ((here.job.node, f"{here.place}.concurrency"), (here.job.workflow.node, "concurrency")):
        found = child(owner, "concurrency")
        if isinstance(found, yaml.MappingNode):
            found, place = child(found, "group"), f"{place}.group"
        if isinstance(found, yaml.ScalarNode):
            return place, found
    return "", None


def _parted(recipe: RepairGroup, here: Situation, place: str, node: yaml.ScalarNode) -> Outcome:
    """The number of the pull request in the place of `github.ref`, or behind a group without any such part."""
    found = _KEY.search(node.value)
    why = "every pull request is in this group, so their runs cancel each other"
    if found:
        new = node.value[: found.start()] + _PARTED + node.value[found.end() :]
        edits = splice_scalar(here.job.document, node, found.start(), found.end(), _PARTED, why=why)
    else:
        new = f"{node.value}-${{{{ {_PARTED} }}}}"
        edits = splice_scalar(
            here.job.document, node, len(node.value), len(node.value), new[len(node.value) :], why=why
        )
    if isinstance(edits, Refusal):
        edits = replace_scalar(here.job.document, node, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={new}", here.target.job, here.job.path)
    cost = "the runs of several pull requests may go on at the same time"
    made = Edited(edits, (f"{here.job.path}:{place}",), (promise,), costs=(cost,))
    return replace(made, settled=replace(recipe, settled=new))
