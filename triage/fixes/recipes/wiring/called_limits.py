"""`timeout` of a job that a workflow of another repository runs: the number that it is handed, where the log says how
long the limit was. No step of such a job stands in this repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.limits import NAMED, OF_CALL, rounded, seconds_of, unit_of
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import Timeout

_Handed = tuple[str, str, yaml.ScalarNode, int]


def raise_called_limit(recipe: Timeout, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome | None:
    """None where the log says no length, or the workflow holds no such job."""
    seconds, workflow = seconds_of(captures), load_workflow(tree, target.workflow_path)
    if seconds is None or captures.get("step") or not isinstance(workflow, Workflow):
        return None
    every = list(_handed(workflow, target.job))
    if recipe.settled and recipe.settled in {_mark(target, *one[:2], text_of(one[2])) for one in every}:
        return InPlace(f"{recipe.settled} stands already")
    lasting = [(one, unit) for one in every if (unit := _unit(one, seconds))]
    if len(lasting) != 1:
        places = ", ".join(f"{workflow.path}:{workflow.document.line(one[2])}" for one, _ in lasting)
        return Refusal(f"several limits of {seconds.normalize():f} s: {places}") if lasting else None
    ((job, name, node, _), unit) = lasting[0]
    old, most = decimal(text_of(node)) or Decimal(0), Decimal(recipe.at_most_minutes * 60) / unit
    wanted = min(rounded(old * Decimal(recipe.factor), Decimal(unit)), most)
    if wanted <= old:
        return InPlace(f"{name} is {text_of(node)} already, the most that is allowed is {most.normalize():f}")
    value, units = f"{wanted.normalize():f}", {1: "seconds", 60: "minutes", 3600: "hours"}[unit]
    edits = replace_scalar(workflow.document, node, value, why=f"{text_of(node)} {units} were not enough")
    if isinstance(edits, Refusal):
        return edits
    place = f"jobs.{job}.with.{name}"
    promise = Expectation("value", f"{place}={value}", target.job, workflow.path)
    cost = f"a hang now holds the machines for up to {value} {units} instead of {text_of(node)}"
    settled = replace(recipe, settled=_mark(target, job, name, value))
    return Edited(edits, (f"{workflow.path}:{place}",), (promise,), costs=(cost,), settled=settled)


def _mark(target: Target, job: str, name: str, value: str) -> str:
    return f"{name} {value} of {job} in {target.workflow_path}"


def _unit(handed: _Handed, seconds: Decimal) -> int:
    """Seconds of one, where the number is the limit that the log speaks of; else 0."""
    _, _, node, own = handed
    number = decimal(text_of(node)) or Decimal(0)
    return next((unit for unit in ((own,) if own else (1, 60, 3600)) if number * unit == seconds), 0)


def _handed(workflow: Workflow, wanted: str) -> Iterator[_Handed]:
    """Job, input, number and unit of what the job of that name, or id, hands over; of all jobs that a workflow
    elsewhere runs where their names are put together at run time."""
    shown = wanted.partition(" / ")[0].partition(" (")[0].strip()
    for job in workflow.job_ids:
        node = workflow.job_node(job)
        name = text_of(child(node, "name"))
        called = text_of(child(node, "uses"))
        if not called or called.startswith("./") or not (shown in (job, name) or "${{" in name):
            continue
        for key, _, value in entries(child(node, "with")):
            if NAMED.search(key) and isinstance(value, yaml.ScalarNode) and decimal(value.value) is not None:
                # GitHub takes minutes for its own jobs; what the input means otherwise the figures tell.
                unit = 60 if OF_CALL.fullmatch(key) and "minute" in key.lower() else unit_of("", key.lower())
                yield job, key, value, unit
