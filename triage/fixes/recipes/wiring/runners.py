"""`copy_runner`: the larger machine of the repository's own, for a job that was too much for GitHub's runner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.document import eol_at, indent_of, line_start
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.platform import is_hosted
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import CopyRunner

# Names that say a size, and none that say an accelerator.
_SIZED = re.compile(r"general|cpu|core|large|mem|big", re.I)
_DEVICE = re.compile(
    r"gpu|npu|xpu|tpu|hpu|gaudi|cuda|rocm|ascend|davinci|nvidia|\b[gp][0-9]\w{0,3}\b|\b(?:a|h|b|l|t|v|mi|gb)[0-9]{1,3}\w?\b",
    re.I,
)

# `runs-on` as (key, value) pairs: ("", label) for labels, ("group", name) and ("labels", label) of a mapping.
Machine = tuple[tuple[str, str], ...]


def copy_runner(recipe: CopyRunner, here: Situation) -> Outcome:
    node = child(here.job.node, "runs-on")
    own = _machine(here.job)
    if recipe.settled and _said(own) == recipe.settled:
        return InPlace(f"{here.job.id} runs on {_said(own)} already")
    if not isinstance(node, yaml.ScalarNode) or not is_hosted(node.value):
        return Refusal(f"{here.job.id} does not run on one of GitHub's own runners", here.job.path, here.job.line)
    found = {machine: job for job in sibling_jobs(here, b"runs-on") if _suits(machine := _machine(job))}
    if not found:
        return Refusal("no sibling runs on a larger machine without accelerators")
    if len(found) > 1:
        return Words(f"move {here.job.id} to a larger machine: {', '.join(_said(machine) for machine in found)}")
    (machine, source), *_ = found.items()
    document, start, end = here.job.document, here.job.document.start(node), here.job.document.end(node)
    text = _written(machine, document.data, start)
    if text.startswith((b"\r", b"\n")):  # below the key, without the blank behind its colon
        start -= len(document.data[:start]) - len(document.data[:start].rstrip(b" "))
    why = f"{node.value} was lost; {source.path}:{source.line} runs on this one"
    where = (here.target.job, here.job.path)
    promises = tuple(
        Expectation("value", f"{here.place}.runs-on{place}={value}", *where) for place, value in _places(machine)
    )
    declared = f"{here.job.path}:{here.place}.runs-on"
    made = Edited((Edit(document.path, start, end, text, why),), (declared,), promises)
    return replace(made, settled=replace(recipe, settled=_said(machine)))


def _machine(job: Job) -> Machine:
    node = child(job.node, "runs-on")
    if isinstance(node, yaml.MappingNode):
        return tuple((key, text_of(one)) for key, _, value in entries(node) for one in items(value))
    return tuple(("", text_of(one)) for one in items(node))


def _suits(machine: Machine) -> bool:
    values = [value for _, value in machine]
    fixed = bool(values) and all("${{" not in value and not is_hosted(value) for value in values)
    return (
        fixed and any(_SIZED.search(value) for value in values) and not any(_DEVICE.search(value) for value in values)
    )


def _said(machine: Machine) -> str:
    return " ".join(f"{key} {value}".strip() for key, value in machine)


def _written(machine: Machine, data: bytes, start: int) -> bytes:
    """Below the key, as a mapping; in its place, as a label or a list of labels."""
    labels = [value for key, value in machine if key in ("", "labels")]
    listed = labels[0] if len(labels) == 1 else f"[{', '.join(labels)}]"
    if not any(key for key, _ in machine):
        return listed.encode()
    indent = b" " * (indent_of(data[line_start(data, start) : start]) + 2)
    lines = [f"{key}: {value}" for key, value in machine if key != "labels"] + ([f"labels: {listed}"] if labels else [])
    return b"".join(eol_at(data, start) + indent + line.encode() for line in lines)


def _places(machine: Machine) -> Iterator[tuple[str, str]]:
    several = sum(key in ("", "labels") for key, _ in machine) > 1
    seen = 0
    for key, value in machine:
        if key in ("", "labels"):
            yield (f".{key}" if key else "") + (f"[{seen}]" if several else ""), value
            seen += 1
        else:
            yield f".{key}", value
