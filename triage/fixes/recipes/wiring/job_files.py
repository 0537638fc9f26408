"""A variable of a program that a step hands to a cluster: in the job file that it submits, whose machines see no `env`
of the workflow."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import CONFIGURATIONS, named_files
from triage.fixes.yaml.edits import insert_after, replace_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml
from triage.model.patch import Edit, Expectation

# Anyscale's and SkyPilot's command lines: job files whose variables stand in `env_vars`, or in `envs`.
_SUBMITS = re.compile(r"\b(?:anyscale job submit|anyscale service deploy|sky (?:jobs )?launch|sky exec)\b")
_LAYERS = ("env_vars", "envs")
_STARTS = ("entrypoint", "run")


def set_in_job_file(here: Situation, name: str, value: str) -> Outcome | None:
    """None where the failed step submits no such file of the repository, or several."""
    found = list(_files(here))
    if len(found) != 1:
        return None
    document, layer = found[0]
    mapping = child(document.root, layer)
    why = f"{here.job.id} submits it, and the machines that run the job see only these variables"
    place = f"{layer}.{name}"
    present = child(mapping, name)
    if isinstance(present, yaml.ScalarNode):
        if present.value == value:
            return InPlace(f"{place} of {document.path} is already `{value}`")
        edits = replace_scalar(document, present, value, why=why)
    else:
        edits = _added(document, mapping, f'{name}: "{value}"', why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={value}", here.target.job, document.path)
    return Edited(edits, (f"{document.path}:{place}",), (promise,), (why,), title=f"Set {name}={value} in the job file")


def _added(document: YamlDocument, mapping: yaml.Node | None, line: str, why: str) -> tuple[Edit, ...] | Refusal:
    if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style or not mapping.value:
        return Refusal("its variables are no block of lines", document.path)
    key, last = mapping.value[-1]
    return insert_after(document, last, [line], key.start_mark.column, why=why)


def _files(here: Situation) -> Iterator[tuple[YamlDocument, str]]:
    """Job files that the failed step names, with the key of their variables."""
    script = here.step.script if here.step is not None and not here.image else ()
    if not any(_SUBMITS.search(line) for line in script):
        return
    named = (path for line in script for path in named_files(here.tree, line, CONFIGURATIONS))
    for path in dict.fromkeys(named):
        document = parse_yaml(path, here.tree.read(path))
        if isinstance(document, YamlDocument) and any(child(document.root, key) is not None for key in _STARTS):
            layer = next((key for key in _LAYERS if child(document.root, key) is not None), "")
            if layer:
                yield document, layer
