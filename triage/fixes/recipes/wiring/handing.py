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
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import GrantPermission

_REQUEST = re.compile(r"([a-z-]+): (read|write)")


def hand_permission(recipe: GrantPermission, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    """Works on the file alone: GitHub starts no job of it. The entries go into the block that leaves the scopes out,
    the caller's own or its workflow's; where there is none, the calling job gets one."""
    named = captures.get("file", "")
    workflow = load_workflow(tree, named if named in tree else target.workflow_path)
    if isinstance(workflow, Refusal):
        return workflow
    asked = _asked(recipe, captures)
    if asked[0][0] not in SCOPES or asked[0][1] not in ("read", "write"):
        return Refusal("the log does not say which permission is asked for")
    name = _caller(workflow, target.job, captures)
    if not name:
        return Refusal("the log does not say which call lacks the permission", workflow.path)
    if any(scope not in SCOPES for scope, _ in asked):
        return Words(f"{workflow.path}: give the job {name} `permissions` with what the called workflow asks for")
    written = [scope for scope, access in asked if access == "write"]
    if written and (strangers := sorted(workflow.triggers & OF_STRANGERS)):
        return Words(
            f"{workflow.path} runs on `{strangers[0]}`, which strangers set off: hand no `{written[0]}: write` over"
        )
    job = workflow.job_node(name)
    own = child(job, "permissions")
    held = own if own is not None else child(workflow.node, "permissions")
    if held is None and captures.get("requested", ""):
        return _made(workflow, tree, name, asked)
    lacking = tuple((scope, access) for scope, access in asked if text_of(child(held, scope)) not in (access, "write"))
    if not lacking:
        return InPlace(f"{name} hands `{asked[0][0]}: {asked[0][1]}` over")
    if not isinstance(held, yaml.MappingNode) or any(child(held, scope) is not None for scope, _ in lacking):
        return Words(f"{workflow.path}: give the job {name} `permissions` with {_spelt(lacking)}")
    return _joined(workflow, name, held is own, lacking)


def _asked(recipe: GrantPermission, captures: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Scopes and their access, as the log lists them; the first alone where it lists none."""
    scope, access = (captures.get(one.strip("{}"), "") for one in (recipe.scope, recipe.access))
    return tuple(_REQUEST.findall(captures.get("requested", ""))) or ((scope, access),)


def _spelt(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"`{scope}: {access}`" for scope, access in pairs)


def _joined(workflow: Workflow, name: str, own: bool, pairs: tuple[tuple[str, str], ...]) -> Outcome:
    """Entries of a block of permissions, which is made where there is none."""
    owner, place = (workflow.job_node(name), f"jobs.{name}.permissions") if own else (workflow.node, "permissions")
    why = "the called workflow asks for it"
    fresh = child(owner, "permissions") is None
    edits = add_entries(workflow.document, owner, "permissions", pairs, why=why)  # type: ignore[arg-type]
    if isinstance(edits, Refusal):
        return edits
    promises = tuple(Expectation("value", f"{place}.{scope}={access}", name, workflow.path) for scope, access in pairs)
    declared = (place,) if fresh else tuple(f"{place}.{scope}" for scope, _ in pairs)
    title = f"Hand {_spelt(pairs)} over to the called workflow"
    return Edited(edits, tuple(f"{workflow.path}:{one}" for one in declared), promises, title=title)


def _made(workflow: Workflow, tree: Tree, name: str, asked: tuple[tuple[str, str], ...]) -> Outcome:
    """Where nothing says what the tokens may do, the repository's default gives little: a block at the call replaces
    it, so that what every checkout needs, and what the called workflow says that it reads, is said too."""
    other = load_workflow(tree, text_of(child(workflow.job_node(name), "uses")).removeprefix("./"))
    read = [] if isinstance(other, Refusal) else [other.node, *(other.job_node(one) for one in other.job_ids)]
    said = [(scope, text_of(value)) for one in read for scope, _, value in entries(child(one, "permissions"))]
    kept = dict.fromkeys(("contents", *(scope for scope, word in said if word == "read")), "read")
    made = _joined(workflow, name, own=True, pairs=tuple(sorted({**kept, **dict(asked)}.items())))
    note = "the block replaces the repository's default: what else the called workflow uses has to be named"
    return made.noting(note) if isinstance(made, Edited) else made


def _caller(workflow: Workflow, job: str, captures: Mapping[str, str]) -> str:
    """The failed job, the one on the line that the log gives, the one that calls the workflow that it names, or the
    only one that calls any."""
    calls = {name: text_of(child(workflow.job_node(name), "uses")) for name in workflow.job_ids}
    calls = {name: uses for name, uses in calls.items() if uses}
    if job in calls:
        return job
    keys = entries(child(workflow.node, "jobs"))
    there = [name for name, key, _ in keys if str(workflow.document.line(key)) == captures.get("line", "")]
    called = captures.get("called", "")
    named = [name for name, uses in calls.items() if called and uses.removeprefix("./") == called.removeprefix("./")]
    chosen = [name for name in there if name in calls] or named or list(calls)
    return chosen[0] if len(chosen) == 1 else ""
