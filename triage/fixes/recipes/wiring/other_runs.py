"""A download of what another workflow's run has uploaded: it has to say which run that is."""

from __future__ import annotations

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import workflow_paths
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import child
from triage.model.patch import Expectation

_RUN, _TOKEN = "${{ github.event.workflow_run.id }}", "${{ secrets.GITHUB_TOKEN }}"
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
    making = [path for path in workflow_paths(here.tree) if path != here.job.path and _uploads(here, path, name)]
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


def _uploads(here: Situation, path: str, name: str) -> bool:
    text = here.tree.read(path).decode("utf-8", "replace")
    return "upload-artifact" in text and name in text
