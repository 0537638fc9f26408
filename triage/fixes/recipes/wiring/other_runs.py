"""A download of what another workflow's run has uploaded: it has to say which run that is."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import read_yaml, workflow_paths
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.model.patch import Expectation

_RUN, _TOKEN = "${{ github.event.workflow_run.id }}", "${{ secrets.GITHUB_TOKEN }}"
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
# The first release that reads the artifacts of another run, given its id and a token.
_FIRST = 4


def of_other_run(here: Situation, place: str, name: str, major: int) -> Outcome | None:
    """For a workflow that another one's end starts, and a name that another file uploads. None for all others."""
    if "workflow_run" not in here.job.workflow.triggers or here.step is None:
        return None
    step = here.step.node
    if child(step, "with", "run-id") is not None:
        return InPlace(f"{here.job.path}:{here.step.line} says whose artifact it wants")
    if major and major < _FIRST:
        return Words(
            f"{here.job.path}:{here.step.line}: only from v{_FIRST} on a download reads another run's artifacts"
        )
    named = {text_of(one) for one in items(child(here.job.workflow.node, "on", "workflow_run", "workflows"))}
    making = [path for path in workflow_paths(here.tree) if path != here.job.path and _uploads(here, path, name, named)]
    if not making or not isinstance(child(step, "with"), yaml.MappingNode):
        return None
    pairs = [("run-id", _RUN)]
    pairs += [] if child(step, "with", "github-token") is not None else [("github-token", _TOKEN)]
    why = f"`{name}` is uploaded by {making[0]}, in a run of its own"
    edits = add_entries(here.job.document, step, "with", pairs, why=why)
    if isinstance(edits, Refusal):
        return edits
    promises = tuple(
        Expectation("value", f"{place}.with.{key}={value}", here.target.job, here.job.path) for key, value in pairs
    )
    declared = tuple(f"{here.job.path}:{place}.with.{key}" for key, _ in pairs)
    made = Edited(edits, declared, promises, title="Say which run has the artifact")
    held = child(here.job.node, "permissions") or child(here.job.workflow.node, "permissions")
    lacks = held is not None and child(held, "actions") is None
    return made.noting("the job's `permissions` need `actions: read` for it") if lacks else made


def _uploads(here: Situation, path: str, name: str, named: set[str]) -> bool:
    """Whether it is one of the workflows that start this one, and a step of it uploads the name, or one that it makes
    of an expression."""
    document = read_yaml(here.tree, path)
    if isinstance(document, Refusal) or (text_of(child(document.root, "name")) or path) not in named:
        return False
    steps = [step for _, _, job in entries(child(document.root, "jobs")) for step in items(child(job, "steps"))]
    uploading = (one for one in steps if text_of(child(one, "uses")).startswith("actions/upload-artifact@"))
    given = [text_of(child(one, "with", "name")) for one in uploading]
    return any(fnmatchcase(name, _EXPRESSION.sub("*", one)) for one in given if one)
