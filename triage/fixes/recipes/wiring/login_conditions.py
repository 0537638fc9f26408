"""`repair_condition`: a login that is skipped in every cell, as it waits for a value that the matrix does not have."""

from __future__ import annotations

import re

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.workflow.matrix import matrix_values
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Expectation
from triage.model.recipe import RepairCondition

_EQUALS = re.compile(r"\bmatrix\.(?P<key>[\w-]+)\s*==\s*'(?P<value>[^']*)'")
_BEGINS = re.compile(r"\bstartsWith\(\s*matrix\.[\w-]+\s*,\s*'[^']*'\s*\)")
_NEGATED = re.compile(r"!(?!=)")
_HUB = "docker.io"


def repair_condition(recipe: RepairCondition, here: Situation) -> Outcome:
    host = _host(here.captures.get(recipe.address.strip("{}"), ""))
    logins = [step for step in here.job.steps if step.path == here.job.path and host and _registry(step) == host]
    if not logins:
        return Refusal(f"no step of {here.job.id} logs in to {host or 'a registry'}", here.job.path, here.job.line)
    for step in logins:
        for found in _EQUALS.finditer(step.condition if not _NEGATED.search(step.condition) else ""):
            values = _values(here, found["key"])
            if values and found["value"] not in values:
                return _repaired(here, step, found, values)
    asked = [step.condition for step in logins if not _NEGATED.search(step.condition)]
    if any(_BEGINS.search(one) or _EQUALS.search(one) for one in asked):
        return InPlace(f"the login to {host} runs in the cells that it is for")
    return Refusal("no condition of the login asks for a value of the matrix", here.job.path, here.job.line)


def _host(address: str) -> str:
    first = address.partition("/")[0]
    return first if "/" in address and ("." in first or ":" in first) else _HUB if address else ""


def _registry(step: Step) -> str:
    if not step.uses.startswith("docker/login-action@"):
        return ""
    named = text_of(child(step.node, "with", "registry"))
    return named or _HUB


def _values(here: Situation, key: str) -> list[str]:
    """All that the matrix gives; none where an expression computes some."""
    values = [text_of(one) for one, _ in matrix_values(here.job.node, here.place, key)]
    return [] if any("${{" in one for one in values) else list(dict.fromkeys(values))


def _repaired(here: Situation, step: Step, found: re.Match[str], values: list[str]) -> Outcome:
    old, key = found["value"], found["key"]
    begin = [one for one in values if re.match(rf"{re.escape(old)}[-_.:/]", one)]
    alike = resembling(old, values)
    if len(begin) > 1 or (len(begin) == 1 and not alike):
        written = f"startsWith(matrix.{key}, '{old}')"
        start, end = found.span()
    elif alike:  # the value alone, so that nothing else of the line is written anew
        written = alike
        start, end = found.span("value")
    else:
        return Refusal(f"no cell has `{old}`, and none that resembles it", step.path, step.line)
    node, document = child(step.node, "if"), step.document
    why = f"the matrix has {', '.join(values)}: `{old}` is none of them, and the step never runs"
    edits = splice_scalar(document, node, start, end, written, why=why)  # type: ignore[arg-type]
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].if"
    whole = text_of(node)[:start] + written + text_of(node)[end:]
    promise = Expectation("value", f"{place}={whole}", here.target.job, here.job.path)
    title = f"Let `{step.name}` run in the cells that it is for"
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), title=title)
