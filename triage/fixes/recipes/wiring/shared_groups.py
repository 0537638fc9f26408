"""A `concurrency` group that jobs of one run share, so that they cancel each other."""

from __future__ import annotations

from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.workflow.matrix import combinations
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.model.patch import Expectation
from triage.model.recipe import RepairGroup

# What tells the cells of a matrix apart; `concurrency` may read both contexts.
_CELLS = ("matrix.", "strategy.")
_INDEX = "-${{ strategy.job-index }}"


def part_jobs(recipe: RepairGroup, here: Situation) -> Outcome | None:
    """The job's name behind the group of each job that has the same one, its index behind that of a matrix. None where
    no two jobs of one run are in the group, or only ones that wait for each other: a newer run replaces them then.
    Without `cancel-in-progress` the group may be there to let one job run after the other."""
    workflow = here.job.workflow
    own = _group(here.job.node)
    if own is None or not _cancels(here.job.node):
        return None
    alike = [(name, node) for name, node in _jobs(workflow) if (one := _group(node)) and one.value == own.value]
    beside = [name for name, _ in alike if name != here.job.id and not _ordered(workflow, name, here.job.id)]
    cells = len(combinations(here.job.document, here.job.node, {})) > 1 and not any(one in own.value for one in _CELLS)
    if not beside and not cells:
        return None
    suffixes = {name: f"-{name}" if beside else "" for name, _ in (alike if beside else [(here.job.id, None)])}
    suffixes[here.job.id] += _INDEX if cells else ""
    made = together([_suffixed(here, name, suffix) for name, suffix in suffixes.items()])
    title = "Give each job of the run a group of its own" if beside else "Give each cell of the matrix its own group"
    settled = replace(recipe, settled=f"{own.value}{suffixes[here.job.id]}")
    because = "Jobs of the same run are in one group, so each of them that begins cancels the one that runs."
    return replace(made, title=title, because=because, settled=settled) if isinstance(made, Edited) else made


def _suffixed(here: Situation, name: str, suffix: str) -> Outcome:
    node = here.job.workflow.job_node(name)
    group, place = _group(node), f"jobs.{name}.concurrency"
    place += ".group" if isinstance(child(node, "concurrency"), yaml.MappingNode) else ""
    assert group is not None  # as `part_jobs` found it
    why, end = "jobs of one run in one group cancel each other", len(group.value)
    edits = splice_scalar(here.job.document, group, end, end, suffix, why=why)
    if not isinstance(edits, tuple):
        return edits
    promise = Expectation("value", f"{place}={group.value}{suffix}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,))


def _jobs(workflow: Workflow) -> list[tuple[str, yaml.Node]]:
    return [(name, node) for name, _, node in entries(child(workflow.node, "jobs"))]


def _group(job: yaml.Node | None) -> yaml.ScalarNode | None:
    """The text of the job's own group."""
    held = child(job, "concurrency")
    group = child(held, "group") if isinstance(held, yaml.MappingNode) else held
    return group if isinstance(group, yaml.ScalarNode) and group.value else None


def _cancels(job: yaml.Node) -> bool:
    return text_of(child(job, "concurrency", "cancel-in-progress")) not in ("", "false")


def _ordered(workflow: Workflow, one: str, other: str) -> bool:
    """Whether one of the two waits for the other, through others too."""
    return one in _waited_for(workflow, other) or other in _waited_for(workflow, one)


def _waited_for(workflow: Workflow, job: str) -> set[str]:
    found: set[str] = set()
    left = [job]
    while left:
        needs = {text_of(one) for one in items(child(workflow.job_node(left.pop()), "needs"))} - found
        found |= needs
        left += needs
    return found
