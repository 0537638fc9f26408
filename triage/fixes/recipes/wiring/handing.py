"""`grant_permission` for a called workflow, which may do no more than the job that calls it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.wiring.permissions import OF_STRANGERS, SCOPES
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import GrantPermission

_REQUEST = re.compile(r"([a-z-]+): (read|write)")


def hand_permission(recipe: GrantPermission, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    """Works on the file alone: GitHub starts no job of it. The entry goes into the block that leaves the scope out, the
    caller's own or its workflow's; where there is none, the repository's default is what gives too little."""
    scope, access = (captures.get(one.strip("{}"), "") for one in (recipe.scope, recipe.access))
    workflow = load_workflow(tree, target.workflow_path)
    if isinstance(workflow, Refusal):
        return workflow
    if scope not in SCOPES or access not in ("read", "write"):
        return Refusal("the log does not say which permission is asked for")
    name = _caller(workflow, target.job, captures.get("called", ""))
    if not name:
        return Refusal("the log does not say which call lacks the permission", workflow.path)
    job = workflow.job_node(name)
    own = child(job, "permissions")
    held, owner, place = (own, job, f"jobs.{name}.") if own is not None else (None, workflow.node, "")
    held = held if held is not None else child(workflow.node, "permissions")
    if access == "write" and (strangers := sorted(workflow.triggers & OF_STRANGERS)):
        return Words(
            f"{workflow.path} runs on `{strangers[0]}`, which strangers set off: hand no `{scope}: write` over"
        )
    if text_of(child(held, scope)) in (access, "write"):
        return InPlace(f"{name} hands `{scope}: {access}` over")
    if held is None and own is None:
        return _new_block(workflow, name, captures.get("requested", ""))
    if not isinstance(held, yaml.MappingNode) or owner is None or child(held, scope) is not None:
        return Words(f"{workflow.path}: give the job {name} `permissions` with `{scope}: {access}`")
    edits = add_entries(
        workflow.document, owner, "permissions", ((scope, access),), why="the called workflow asks for it"
    )
    if isinstance(edits, Refusal):
        return edits
    path = f"{place}permissions.{scope}"
    promise = Expectation("value", f"{path}={access}", name, workflow.path)
    title = f"Hand `{scope}: {access}` over to the called workflow"
    return Edited(edits, (f"{workflow.path}:{path}",), (promise,), title=title)


def _new_block(workflow: Workflow, name: str, requested: str) -> Outcome:
    """Where nothing says what the tokens may do, the repository's default gives little: a block at the call replaces
    it, so that what every checkout needs is said too."""
    asked = dict(_REQUEST.findall(requested))
    scopes = {scope: asked[scope] for scope in sorted(asked) if scope in SCOPES}
    wanted = dict(sorted({"contents": "read", **scopes}.items()))
    if not scopes or len(scopes) != len(asked):
        return Words(f"{workflow.path}: give the job {name} `permissions` with what the called workflow asks for")
    node, why = workflow.job_node(name), "the called workflow asks for it, and the default gives less"
    if node is None:
        return Refusal(f"no job is called {name}", workflow.path)
    edits = add_entries(workflow.document, node, "permissions", tuple(wanted.items()), why=why)
    if isinstance(edits, Refusal):
        return edits
    path = f"jobs.{name}.permissions"
    promises = tuple(
        Expectation("value", f"{path}.{scope}={access}", name, workflow.path) for scope, access in wanted.items()
    )
    title = f"Hand what the called workflow asks for over to it in `{name}`"
    made = Edited(edits, (f"{workflow.path}:{path}",), promises, title=title)
    return made.noting(
        "the block replaces the repository's default: what else the called workflow uses has to be named"
    )


def _caller(workflow: Workflow, job: str, called: str) -> str:
    """The failed job, the one that calls the workflow that the log names, or the only one that calls any."""
    calls = {name: text_of(child(workflow.job_node(name), "uses")) for name in workflow.job_ids}
    calls = {name: uses for name, uses in calls.items() if uses}
    named = [name for name, uses in calls.items() if called and uses.removeprefix("./") == called.removeprefix("./")]
    if job in calls:
        return job
    chosen = named or list(calls)
    return chosen[0] if len(chosen) == 1 else ""
