"""What makes a workflow invalid although it may be valid YAML: a mini schema, as strict as GitHub where it matters.

GitHub refuses the whole file for one bad step, so one finding stops every job of the workflow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_action, is_workflow
from triage.fixes.yaml.nodes import entries, parse_yaml, text_of

_EXPRESSION = re.compile(r"\s*\$\{\{.*\}\}\s*\Z", re.S)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?\Z")
_SCALAR_MAPPINGS = ("env", "with")
_ACCESS = ("read", "write", "none")


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` counts from 1; `place` is the semantic path, such as `jobs.test.steps[3]`."""

    path: str
    line: int
    place: str
    message: str

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{self.path}:{self.line}: {place}{self.message}"


def compose(content: bytes) -> yaml.Node | None:
    """The document's node; None for an empty file. Raises yaml.YAMLError, also for bytes that are not UTF-8."""
    document = parse_yaml("", content)
    if isinstance(document, Refusal):
        raise yaml.YAMLError(document.reason)
    return document.root


def check(path: str, content: bytes) -> tuple[Finding, ...]:
    """Every finding in a workflow or action; for other YAML files, whether it parses."""
    document = parse_yaml(path, content)
    if isinstance(document, Refusal):
        return (Finding(path, document.line or 1, "", document.reason),)
    if is_workflow(path):
        return tuple(_workflow(path, document.root))
    if is_action(path):
        return tuple(_action(path, document.root))
    return ()


def _workflow(path: str, node: yaml.Node | None) -> Iterator[Finding]:
    if not isinstance(node, yaml.MappingNode):
        yield Finding(path, 1, "", "a workflow must be a mapping with `on` and `jobs`")
        return
    keys = _entries(node)
    yield from _duplicates(path, "", node)
    for name in ("on", "jobs"):
        if name not in keys:
            yield Finding(path, 1, "", f"no `{name}`")
    jobs = keys.get("jobs")
    if jobs is None:
        return
    if not isinstance(jobs, yaml.MappingNode) or not jobs.value:
        yield Finding(path, _line(jobs), "jobs", "must be a mapping with at least one job")
        return
    yield from _scalars(path, "env", keys.get("env"))
    yield from _permissions(path, "permissions", keys.get("permissions"))
    yield from _duplicates(path, "jobs", jobs)
    names = set(_entries(jobs))
    for name, job in _entries(jobs).items():
        yield from _job(path, f"jobs.{name}", job, names)


def _job(path: str, place: str, job: yaml.Node, names: set[str]) -> Iterator[Finding]:
    if not isinstance(job, yaml.MappingNode):
        yield Finding(path, _line(job), place, "a job must be a mapping")
        return
    keys = _entries(job)
    yield from _duplicates(path, place, job)
    yield from _scalars(path, f"{place}.env", keys.get("env"))
    yield from _permissions(path, f"{place}.permissions", keys.get("permissions"))
    yield from _needs(path, place, keys.get("needs"), names)
    yield from _minutes(path, f"{place}.timeout-minutes", keys.get("timeout-minutes"))
    if "uses" in keys:
        if "steps" in keys:
            yield Finding(path, _line(job), place, "a job that calls a workflow cannot have `steps`")
        return
    if "runs-on" not in keys:
        yield Finding(path, _line(job), place, "no `runs-on`")
    if "steps" not in keys:
        yield Finding(path, _line(job), place, "no `steps`")
        return
    yield from _steps(path, f"{place}.steps", keys["steps"])


def _action(path: str, node: yaml.Node | None) -> Iterator[Finding]:
    if not isinstance(node, yaml.MappingNode):
        yield Finding(path, 1, "", "an action must be a mapping")
        return
    runs = _entries(node).get("runs")
    if not isinstance(runs, yaml.MappingNode):
        yield Finding(path, 1, "", "no `runs` mapping")
        return
    keys = _entries(runs)
    if text_of(keys.get("using")) == "composite":
        yield from _steps(path, "runs.steps", keys.get("steps"))


def _steps(path: str, place: str, steps: yaml.Node | None) -> Iterator[Finding]:
    if not isinstance(steps, yaml.SequenceNode) or not steps.value:
        yield Finding(path, _line(steps), place, "must be a list with at least one step")
        return
    for index, step in enumerate(steps.value):
        yield from _step(path, f"{place}[{index}]", step)


def _step(path: str, place: str, step: yaml.Node) -> Iterator[Finding]:
    if not isinstance(step, yaml.MappingNode):
        yield Finding(path, _line(step), place, "a step must be a mapping")
        return
    keys = _entries(step)
    yield from _duplicates(path, place, step)
    named = f" (`{text_of(keys.get('name'))}`)" if text_of(keys.get("name")) else ""
    if ("run" in keys) == ("uses" in keys):
        yield Finding(path, _line(step), place, f"a step must have exactly one of `run` and `uses`{named}")
    for key in ("run", "uses"):
        if key in keys and not text_of(keys[key]).strip():
            yield Finding(path, _line(keys[key]), f"{place}.{key}", f"must be text{named}")
    for key in _SCALAR_MAPPINGS:
        yield from _scalars(path, f"{place}.{key}", keys.get(key))
    yield from _minutes(path, f"{place}.timeout-minutes", keys.get("timeout-minutes"))


def _needs(path: str, place: str, needs: yaml.Node | None, names: set[str]) -> Iterator[Finding]:
    if needs is None:
        return
    wanted = needs.value if isinstance(needs, yaml.SequenceNode) else [needs]
    for node in wanted:
        if text_of(node) not in names:
            yield Finding(path, _line(node), f"{place}.needs", f"no job is called `{text_of(node)}`")


def _scalars(path: str, place: str, node: yaml.Node | None) -> Iterator[Finding]:
    if node is None or (isinstance(node, yaml.ScalarNode) and _EXPRESSION.match(node.value)):
        return
    if not isinstance(node, yaml.MappingNode):
        yield Finding(path, _line(node), place, "must be a mapping")
        return
    yield from _duplicates(path, place, node)
    for key, value in node.value:
        if not isinstance(value, yaml.ScalarNode):
            yield Finding(path, _line(value), f"{place}.{text_of(key)}", "must be a single value")


def _permissions(path: str, place: str, node: yaml.Node | None) -> Iterator[Finding]:
    """Expressions and empty values are left: what GitHub makes of them is not written anywhere."""
    for scope, _, value in entries(node):
        text = text_of(value)
        left = isinstance(value, yaml.ScalarNode) and (not text or "${{" in text)
        if text not in _ACCESS and not left:
            yield Finding(path, _line(value), f"{place}.{scope}", "must be `read`, `write` or `none`")


def _minutes(path: str, place: str, node: yaml.Node | None) -> Iterator[Finding]:
    if node is None or _EXPRESSION.match(text_of(node)):
        return
    if not _NUMBER.match(text_of(node)) or (isinstance(node, yaml.ScalarNode) and node.style in ("'", '"')):
        yield Finding(path, _line(node), place, "must be a number of minutes")


def _duplicates(path: str, place: str, node: yaml.MappingNode) -> Iterator[Finding]:
    seen: set[str] = set()
    for key, _ in node.value:
        name = text_of(key)
        if name in seen and name != "<<":
            yield Finding(path, _line(key), place, f"`{name}` is defined twice")
        seen.add(name)


def _entries(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    """Keys and their values; the last of a repeated key (reported apart) stands."""
    return {name: value for name, _, value in entries(node)}


def _line(node: yaml.Node | None) -> int:
    return node.start_mark.line + 1 if node is not None else 1
