"""Limits that the failed step's commands are not given as words: variables of the workflow, files of settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.limits import NAMED, Limit, limit_of_key, unit_of
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.yaml.nodes import child, entries

# Of programs that fetch or connect: how long they wait for an answer.
_OF_CLIENTS = re.compile(r"(?:AWS|CONDA|CURL|DOCKER|GH|GIT|GITHUB|HF|NCCL|NPM|PIP|UV)_")
_SETTINGS = (".yaml", ".yml", ".toml", ".json")
_ENTRY = re.compile(
    rb"(?m)^[ \t]*(?:- +)?[\"']?(?P<name>[A-Za-z][\w-]*)[\"']?[ \t]*[:=][ \t]*[\"']?"
    rb"(?P<number>[0-9]{1,7}(?:\.[0-9]+)?)(?P<unit>[smhd]?)[\"']?[ \t]*,?[ \t]*(?:#[^\n]*)?\r?$"
)


def kept_limits(here: Situation) -> Iterator[Limit]:
    yield from _variables(here)
    words = {word.text or "" for one in here.concerned for call in one.calls for word in call.words}
    named = {in_tree(here.tree, word.partition("=")[2] or word) for word in words if word.endswith(_SETTINGS)}
    for path in sorted(named - {"", here.job.path}):
        yield from _entries(here, path)


def _variables(here: Situation) -> Iterator[Limit]:
    """Of the step, the job and the workflow: an inner one of the same name is what the step sees."""
    step, seen = here.step, set[str]()
    held = [] if step is None else [(child(step.node, "env"), f"{here.place}.steps[{step.index}].env")]
    held += [(child(here.job.node, "env"), f"{here.place}.env"), (child(here.job.workflow.node, "env"), "env")]
    for mapping, place in held:
        for name, _, node in entries(mapping):
            if (
                name in seen
                or not NAMED.search(name)
                or _OF_CLIENTS.match(name)
                or not isinstance(node, yaml.ScalarNode)
            ):
                continue
            seen.add(name)
            given = limit_of_key(here, node, "variable", f"{place}.{name}", name)
            yield from [given] if given is not None else []


def _entries(here: Situation, path: str) -> Iterator[Limit]:
    data = here.tree.read(path)
    for found in _ENTRY.finditer(data):
        name = found["name"].decode()
        if NAMED.search(name):
            start, end = found.span("number")
            site = Site(path, start, end, line_of(data, start), SiteKind.LITERAL, name)
            unit = unit_of(found["unit"].decode(), name)
            yield Limit("setting", name, found["number"].decode(), unit, site, declared_at(here, path, 0))
