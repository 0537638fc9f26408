"""Actions that use a retired one themselves: the log names the one inside, the workflow the one around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import action_files
from triage.fixes.workflow.load import read_yaml
from triage.fixes.workflow.model import Job
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items
from triage.interfaces import Tree

USED = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)@v?(?P<major>[0-9]+)(?:\.[0-9]+)*\Z")
Use = tuple[YamlDocument, yaml.ScalarNode, re.Match[str], str]


@dataclass(frozen=True, slots=True)
class Wrapped:
    """`first`: the first major release that uses one of `inner` which runs; with it `partners` need that of theirs."""

    inner: str
    first: int
    partners: Mapping[str, int] = field(default_factory=dict)


# By the action.yml at each of their tags (read 2026-12-03). What deploys a site reads the artifacts of its own
# generation alone: its README asks for both releases together.
WRAPPED = {
    "actions/upload-pages-artifact": Wrapped("actions/upload-artifact", 3, {"actions/deploy-pages": 4}),
    "hynek/build-and-inspect-python-package": Wrapped("actions/upload-artifact", 2),
}


def wrappers_of(name: str) -> dict[str, Wrapped]:
    return {outer: one for outer, one in WRAPPED.items() if one.inner == name}


def documents_of(tree: Tree, job: Job) -> list[YamlDocument]:
    """The job's file, and the repository's own actions that the job's steps use, or that those use."""
    found = {job.path: job.document}
    waiting = [step.uses for step in job.steps]
    while waiting:
        folder = waiting.pop()
        if not folder.startswith("./"):
            continue
        path = next((one for one in action_files(folder.removeprefix("./")) if one in tree), "")
        document = read_yaml(tree, path) if path and path not in found else Refusal("")
        if not isinstance(document, Refusal):
            found[path] = document
            waiting += [node.value for node in _steps(document) if isinstance(node, yaml.ScalarNode)]
    return list(found.values())


def _steps(document: YamlDocument) -> Iterator[yaml.Node | None]:
    return (child(step, "uses") for step in items(child(document.root, "runs", "steps")))


def uses_in(document: YamlDocument) -> Iterator[Use]:
    """Each `uses` of a release in a workflow or an action, with its semantic path."""
    for place, steps in _lists(document):
        for index, step in enumerate(items(steps)):
            used = child(step, "uses")
            found = USED.match(used.value) if isinstance(used, yaml.ScalarNode) else None
            if found is not None and isinstance(used, yaml.ScalarNode):
                yield document, used, found, f"{place}[{index}].uses"


def _lists(document: YamlDocument) -> Iterator[tuple[str, yaml.Node | None]]:
    for job, _, node in entries(child(document.root, "jobs")):
        yield f"jobs.{job}.steps", child(node, "steps")
    yield "runs.steps", child(document.root, "runs", "steps")
