"""A workflow that asks for a right, and does not get it: the token of a fork's pull request only reads."""

from __future__ import annotations

import re

import yaml

from triage.fixes.document import line_with
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.workflow.platform import is_hosted
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.model.patch import Edit, Expectation, as_promised

_FORKS, _TARGET = "pull_request", "pull_request_target"
# What an expression in a script may be: nothing that whoever opens a pull request chooses, for it would be run.
_EXPRESSION = re.compile(r"\$\{\{(?P<inner>.*?)\}\}", re.S)
_FIXED = re.compile(
    r"\s*(?:github\.(?:event\.(?:pull_request\.|issue\.)?number|repository(?:_owner)?|run_id|run_number|sha|token|"
    r"event_name|event\.action|server_url)|secrets\.GITHUB_TOKEN)\s*\Z"
)
# A condition that no pull request fulfils.
_OF_OTHERS = re.compile(
    r"github\.event_name\s*(?:!=\s*'pull_request'|==\s*'(?:push|schedule|release|workflow_dispatch)')"
)
# What brings other files than those of the repository's base, or runs a text.
_BRINGS = re.compile(
    r"\b(?:git|eval|exec|source|bash|sh|zsh|python[0-9.]*|node|perl|ruby|make|xargs|base64|curl|wget|pip[0-9.]*|uvx?|npm|"
    r"npx|yarn|docker|podman|gh (?:api|pr (?:checkout|diff)|repo|run|extension|alias))\b|\./|require\(|import\("
)
# Actions that only call GitHub's API, by their README. Of all others nobody knows what they fetch.
_ONLY_ASK = (
    *("actions/labeler", "actions/github-script", "actions/first-interaction", "actions/stale"),
    *("actions/add-to-project", "amannn/action-semantic-pull-request", "peter-evans/create-or-update-comment"),
    *("marocchino/sticky-pull-request-comment", "thollander/actions-comment-pull-request"),
)
_OTHER_SECRET = re.compile(r"\bsecrets\b(?!\.GITHUB_TOKEN\b)")


def run_for_forks(here: Situation, scope: str) -> Outcome | None:
    """`pull_request_target`, whose token has what `permissions` says, for a workflow that runs nothing of the pull
    request. None for one that pull requests do not start, and for a step or a job that they leave out."""
    document, triggers = here.job.document, child(here.job.workflow.node, "on")
    if _FORKS not in here.job.workflow.triggers or here.job.path != here.target.workflow_path:
        return None
    if here.facts.secret_source:  # the log says what the token was: not that of a fork
        return None
    step = text_of(child(here.step.node, "if")) if here.step is not None else ""
    if any(_OF_OTHERS.search(one) and "||" not in one for one in (step, here.job.condition)):
        return None
    why = f"`permissions` gives `{scope}: write`, which the token of a fork's pull request never has"
    node = _named(triggers)
    if node is None or _TARGET in here.job.workflow.triggers or not _harmless(here):
        return Words(
            f"{why}: let the part that writes run in a workflow of its own, on `workflow_run` or on `{_TARGET}`, "
            "without the files of the pull request"
        )
    edit = Edit(document.path, document.start(node), document.end(node), _TARGET.encode(), why)
    place = f"on.{_TARGET}" if isinstance(triggers, yaml.MappingNode) else "on"
    types = [text_of(one) for one in items(child(triggers, _FORKS, "types"))]
    held = line_with(document.data, edit.start, edit.end, edit.new)
    promise = Expectation("line", as_promised(held), here.target.job, document.path)
    if types:
        promise = Expectation("value", f"{place}.types[0]={types[0]}", here.target.job, document.path)
    declared = (f"{document.path}:on", f"{document.path}:on.{_FORKS}", f"{document.path}:on.{_TARGET}")
    title = f"Run on `{_TARGET}`, whose token may write"
    because = f"{why}. The workflow checks nothing of the pull request out and puts none of its texts into a script."
    note = f"`{_TARGET}` runs the workflow as the base branch has it: keep files of the pull request out of it"
    return Edited((edit,), declared, (promise,), title=title, because=because).noting(note)


def _named(triggers: yaml.Node | None) -> yaml.Node | None:
    """Where the trigger stands: a key, an item, or the one word."""
    keys = [key for name, key, _ in entries(triggers) if name == _FORKS]
    listed = [one for one in items(triggers) if text_of(one) == _FORKS]
    return next(iter([*keys, *listed]), None)


def _harmless(here: Situation) -> bool:
    """Whether every job, on GitHub's own machines and with rights that are written down, only calls GitHub's API: no
    files are fetched, no other secret is there to be had, and no stranger's text stands in a script."""
    document, workflow = here.job.document, here.job.workflow
    if _OTHER_SECRET.search(document.text):
        return False
    for _, _, job in entries(child(document.root, "jobs")):
        if any(child(job, name) is not None for name in ("uses", "container", "services")):
            return False
        if child(job, "permissions") is None and child(workflow.node, "permissions") is None:
            return False
        machines = items(child(job, "runs-on"))
        if not machines or not all(is_hosted(text_of(one)) for one in machines):
            return False
        if not all(_only_asks(step) for step in items(child(job, "steps"))):
            return False
    return True


def _only_asks(step: yaml.Node) -> bool:
    used, script = text_of(child(step, "uses")), text_of(child(step, "run")) + text_of(child(step, "with", "script"))
    if used and used.partition("@")[0] not in _ONLY_ASK:
        return False
    return not _BRINGS.search(script) and all(_FIXED.match(one["inner"]) for one in _EXPRESSION.finditer(script))
