"""Semantic paths of what is edited, and edits of `env` layers: shared by the recipes."""

from __future__ import annotations

import re

import yaml

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_env, remove_entry, replace_scalar
from triage.fixes.yaml.nodes import child
from triage.model.patch import Edit, Expectation


def declared_at(here: Situation, path: str, step: int) -> str:
    """The run block of a step of the job's own file, or the whole of another file."""
    if path != here.job.path:
        return path
    return f"{path}:{here.place}.{'with.script' if here.job.hands_script else f'steps[{step}].run'}"


def set_env(
    here: Situation, name: str, value: str, *, why: str, comment: str = "", step: Step | None = None, level: str = "job"
) -> Outcome:
    """`NAME: "value"` in the `env` of the workflow, the job or a step; replaced where the layer has it already."""
    if here.job.hands_script:
        return Refusal(f"no `env` of this file reaches what {here.job.uses} runs", here.job.path, here.job.line)
    owner, place = _layer(here, step, level)
    mapping = child(owner, "env")
    present = child(mapping, name)
    if isinstance(present, yaml.ScalarNode):
        if present.value == value:
            return InPlace(f"{place}.{name} of {here.job.path} is already `{value}`")
        edits = replace_scalar(here.job.document, present, value, why=why)
    else:
        edits = add_env(here.job.document, owner, name, value, why=why, comment=comment)
    if isinstance(edits, Refusal):
        return edits
    changed = f"{here.job.path}:{place}" + (f".{name}" if mapping is not None else "")
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    if step is not None:
        promise = Expectation(
            "environment", f"{name}={value}", here.target.job, here.target.workflow_path, step=step.index
        )
    if "${{" in value:  # what the runner puts there is not known here
        promise = Expectation("value", f"{place}.{name}={value}", here.target.job, here.job.path)
    return Edited(edits, (changed,), (promise,))


def _layer(here: Situation, step: Step | None, level: str) -> tuple[yaml.Node, str]:
    if step is not None:
        return step.node, f"{here.place}.steps[{step.index}].env"
    if level == "workflow":
        return here.job.workflow.node, "env"
    return here.job.node, f"{here.place}.env"


def env_layer(here: Situation, site: Site) -> tuple[yaml.Node | None, str] | Refusal:
    """The `env` mapping of the job's file that holds a site, and its semantic path."""
    document = here.job.document
    if site.path != document.path:
        return Refusal("it is set in another file", site.path, site.line)
    layers = [(child(step.node, "env"), f"{here.place}.steps[{step.index}].env") for step in here.job.steps]
    layers += [
        (child(here.job.node, "env"), f"{here.place}.env"),
        (child(here.job.node, "container", "env"), f"{here.place}.container.env"),
        (child(here.job.workflow.node, "env"), "env"),
    ]
    for node, place in layers:
        if node is not None and document.start(node) <= site.start <= document.end(node):
            return node, place
    return Refusal("it is in no `env` of this job", site.path, site.line)


def remove_env(here: Situation, site: Site, *, why: str) -> tuple[Edit, ...] | Refusal:
    """Takes the entry away; a value that several lines of YAML lead to is refused by the edit itself."""
    layer = env_layer(here, site)
    if isinstance(layer, Refusal):
        return layer
    return remove_entry(here.job.document, layer[0], site.name, why=why)


def remove_assignment(here: Situation, site: Site, *, why: str) -> tuple[Edit, ...] | Refusal:
    """The line of a script that holds nothing but `NAME=value` or `export NAME=value`."""
    data = here.tree.read(site.path)
    start, end = line_start(data, site.start), line_end(data, site.end)
    alone = rb"\s*(?:export\s+)?" + re.escape(site.name.encode()) + rb"=[\"']?"
    after = data[site.end : end].strip(b"\"' \t\r")
    if not re.fullmatch(alone, data[start : site.start]) or (after and not after.startswith(b"#")):
        return Refusal(f"{site.name} shares its line with something else", site.path, site.line)
    following = data.find(b"\n", end)
    return (Edit(site.path, start, len(data) if following < 0 else following + 1, b"", why),)


def env_place(here: Situation, site: Site) -> str:
    """The semantic path of the `env` entry that a site lies in, with its file."""
    layer = env_layer(here, site)
    return site.path if isinstance(layer, Refusal) else f"{site.path}:{layer[1]}.{site.name}"


def comment_line(path: str, data: bytes, start: int, comment: str, why: str) -> list[Edit]:
    """A comment on a line of its own before the line that holds `start`; nothing for no comment."""
    at = line_start(data, start)
    return [Edit(path, at, at, f"# {comment}".encode() + eol_at(data, at), why)] if comment else []
