"""`grant_permission`: the entry of `permissions` that the job's token lacks, by what GitHub refused."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.forks import run_for_forks
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import add_entries, replace_scalar
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Expectation
from triage.model.recipe import GrantPermission

SCOPES = (
    *("actions", "attestations", "checks", "contents", "deployments", "discussions", "id-token", "issues"),
    *("packages", "pages", "pull-requests", "security-events", "statuses"),
)
# Chapters of GitHub's REST documentation, as its refusals link them, and the scope that their calls write to.
_CHAPTERS = (
    ("pulls", "pull-requests"),
    ("issues", "issues"),
    ("releases", "contents"),
    ("repos/contents", "contents"),
    ("git/", "contents"),
    ("checks", "checks"),
    ("commits/statuses", "statuses"),
    ("deployments", "deployments"),
    ("pages", "pages"),
    ("code-scanning", "security-events"),
    ("actions", "actions"),
    ("packages", "packages"),
)
# What actions ask for in their own README.
_ACTIONS: Mapping[str, str] = {
    "github/codeql-action": "security-events",
    "ossf/scorecard-action": "security-events",
    "actions/stale": "issues",
    "actions/labeler": "pull-requests",
    "actions/attest-build-provenance": "attestations",
    "marocchino/sticky-pull-request-comment": "pull-requests",
    "thollander/actions-comment-pull-request": "pull-requests",
    "softprops/action-gh-release": "contents",
    "ncipollo/release-action": "contents",
    "peaceiris/actions-gh-pages": "contents",
    "jamesives/github-pages-deploy-action": "contents",
    "stefanzweifel/git-auto-commit-action": "contents",
    "ad-m/github-push-action": "contents",
    "google-github-actions/auth": "id-token",
    "aws-actions/configure-aws-credentials": "id-token",
    "pypa/gh-action-pypi-publish": "id-token",
}
# Runs of these have the secrets of the repository, and often check out what a stranger wrote.
OF_STRANGERS = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
# GitHub's names of calls that only read: `rest/pulls/reviews#list-reviews-for-a-pull-request`.
_READS = re.compile(r"#(?:list|get|check|download|compare|search)-")
# A condition that only people of the project fulfil.
_OF_MEMBERS = re.compile(
    r"author_association\s*\)?\s*(?:==|,)|author_association\s*\)|github\.(?:actor|triggering_actor)\s*=="
)
# Actions that bring files, or run what they are given.
_COPIES = re.compile(r"actions/(?:checkout|download-artifact|cache)\b")
# What a script for github-script may get from outside of itself.
_TAKES_IN = re.compile(r"\$\{\{|\brequire\(|\bimport\b|\bexec\b|\beval\(|\bFunction\(")
# What commands of a script write to.
_COMMANDS = (
    ("contents", re.compile(r"\bgit push\b|\bgh release (?:create|delete|edit|upload)\b")),
    ("pull-requests", re.compile(r"\bgh pr (?:close|comment|create|edit|merge|ready|reopen|review)\b")),
    ("issues", re.compile(r"\bgh (?:issue (?:close|comment|create|edit|lock|reopen)|label (?:create|edit|delete))\b")),
    ("actions", re.compile(r"\bgh (?:workflow run|run (?:cancel|rerun|delete)|cache delete)\b")),
)


def grant_permission(recipe: GrantPermission, here: Situation) -> Outcome:
    scope = _or_other(recipe, here, _wanted(recipe, here))
    if not scope:
        return Refusal("neither the refusal nor the failed step says which permission is missing")
    if here.facts.secret_source == "None":
        return Words(
            f"a fork's pull request only reads, whatever `permissions` says: no entry gives it `{scope}: write`"
        )
    own, common = child(here.job.node, "permissions"), child(here.job.workflow.node, "permissions")
    held = _held(here)
    if "pull_request" not in here.job.workflow.triggers and text_of(child(held, scope)) == "write":
        return InPlace(f"{here.job.id} has `{scope}: write`")
    if said := _not_here(here, scope):
        return Words(said)
    if own is not None:
        return _in_block(here, here.job.node, own, here.place, scope)
    if common is None:
        # A block replaces the default: what the checkout needs, and an image of the repository, is said too.
        missing = [("contents", "read")] if scope != "contents" else []
        missing += [("packages", "read")] if scope != "packages" and b"ghcr.io" in here.job.document.data else []
        return _added(here, here.job.node, here.place, (*missing, (scope, "write")))
    alone = len(here.job.workflow.job_ids) == 1 or not isinstance(common, yaml.MappingNode)
    if alone or text_of(child(common, scope)) == "write":
        return _in_block(here, here.job.workflow.node, common, "", scope)
    # Only this job: the others go on with what they have.
    kept = tuple((name, text_of(value)) for name, _, value in entries(common) if name != scope)
    return _added(here, here.job.node, here.place, (*kept, (scope, "write")))


def _held(here: Situation) -> yaml.Node | None:
    """The block that is in force."""
    own = child(here.job.node, "permissions")
    return own if own is not None else child(here.job.workflow.node, "permissions")


def _or_other(recipe: GrantPermission, here: Situation, scope: str) -> str:
    """The second of the scopes that GitHub's answer names, where the job has the first: an issue that is a pull
    request needs the one of pull requests."""
    other = here.captures.get(recipe.other.strip("{}"), "").lower().replace("_", "-")
    held = _held(here)
    lacks = other in SCOPES and text_of(held) != "write-all" and text_of(child(held, other)) != "write"
    return other if lacks and text_of(child(held, scope)) == "write" else scope


def _not_here(here: Situation, scope: str) -> str:
    """Why no entry is written; "" where one may be."""
    where = f"{here.job.path}:{here.job.line}"
    triggers = here.job.workflow.triggers
    strangers = sorted(triggers & OF_STRANGERS)
    if strangers and not _OF_MEMBERS.search(here.job.condition) and not _runs_nothing(here):
        return (
            f"{where} runs on `{strangers[0]}`, which strangers set off: give it `{scope}: write` only where the job "
            "runs nothing of theirs, or in a job of its own"
        )
    if "workflow_call" in triggers or here.job.path != here.target.workflow_path:
        return f"{where} is called by other workflows, and may do no more than they: all of them need `{scope}: write`"
    if _READS.search(here.captures.get("api", "")):
        return f"the refused call only reads: `{scope}: read` in `permissions` of {where} is enough"
    return ""


def _runs_nothing(here: Situation) -> bool:
    """Whether the job has no copy of the repository, and no script but of the workflow itself: only GitHub's own
    actions, which ask its API."""
    steps = here.job.steps
    scripts = [text_of(child(step.node, "with", "script")) for step in steps]
    own = all(step.uses.startswith("actions/") and not _COPIES.match(step.uses) for step in steps)
    return bool(steps) and own and not any(_TAKES_IN.search(one) for one in scripts)


def _wanted(recipe: GrantPermission, here: Situation) -> str:
    """A name that the log gives only selects among those that GitHub knows."""
    named, api = (here.captures.get(one.strip("{}"), "") for one in (recipe.scope, recipe.api))
    named = named.lower().replace("_", "-")
    if named in SCOPES:
        return named
    by_chapter = next((scope for chapter, scope in _CHAPTERS if f"rest/{chapter}" in api), "")
    step = here.step
    by_action = _ACTIONS.get("/".join(step.uses.partition("@")[0].lower().split("/")[:2]), "") if step else ""
    if by_chapter == "issues" and by_action == "pull-requests":
        return by_action  # a pull request is asked for as an issue
    if by_chapter or step is None:
        return by_chapter
    if step.run is not None:
        found = [scope for scope, wanted in _COMMANDS if wanted.search(step.run.value)]
        return found[0] if len(found) == 1 else ""
    return by_action


def _in_block(here: Situation, owner: yaml.Node, held: yaml.Node, place: str, scope: str) -> Outcome:
    """In the block that is in force, which leaves out what it does not name."""
    path = f"{place}.permissions.{scope}".lstrip(".")
    if text_of(held) == "write-all" or text_of(child(held, scope)) == "write":
        if (opened := run_for_forks(here, scope)) is not None:
            return opened
        return InPlace(f"{here.job.id} has `{scope}: write`")
    if not isinstance(held, yaml.MappingNode):
        return Words(f"`permissions: {text_of(held)}` gives no `{scope}: write` ({here.job.path}:{here.job.line})")
    entry = next((value for name, _, value in entries(held) if name == scope), None)
    if entry is None:
        return _added(here, owner, place, ((scope, "write"),))
    if not isinstance(entry, yaml.ScalarNode):
        return Refusal(f"`permissions.{scope}` is no text", here.job.path, here.job.line)
    edits = replace_scalar(
        here.job.document, entry, "write", why=f"the job writes, and its token may only {entry.value}"
    )
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{path}=write", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{path}",), (promise,))


def _added(here: Situation, owner: yaml.Node, place: str, pairs: tuple[tuple[str, str], ...]) -> Outcome:
    edits = add_entries(here.job.document, owner, "permissions", pairs, why="the job's token may not do this")
    if isinstance(edits, Refusal):
        return edits
    path = f"{place}.permissions".lstrip(".")
    promises = tuple(
        Expectation("value", f"{path}.{name}={value}", here.target.job, here.job.path) for name, value in pairs
    )
    names = [f".{name}" for name, _ in pairs] if child(owner, "permissions") is not None else [""]
    declared = tuple(f"{here.job.path}:{path}{name}" for name in names)
    return Edited(edits, declared, promises)
